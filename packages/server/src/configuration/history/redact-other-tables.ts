import type { Database } from '../database/database.ts';
import { type Redact, redactJson } from './redacted-text.ts';

/** Text of the configuration that is also elsewhere: in proposals, messages of webhooks and repeated responses. */
export async function redactOtherTables(
  database: Database,
  propertyId: string,
  redact: Redact,
  dryRun: boolean,
): Promise<number> {
  const proposals = await redactProposals(database, propertyId, redact, dryRun);
  const deliveries = await redactDeliveries(database, propertyId, redact, dryRun);
  if (!dryRun) await forgetResponses(database, redact);
  return proposals + deliveries;
}

async function redactProposals(database: Database, propertyId: string, redact: Redact, dryRun: boolean) {
  const rows = await database
    .selectFrom('proposals')
    .select(['id', 'body', 'comment', 'summary'])
    .where('property_id', '=', propertyId)
    .execute();
  let count = 0;
  for (const { id, ...row } of rows) {
    const next = {
      body: row.body && inJson(row.body, redact),
      comment: row.comment && redact(row.comment),
      summary: inJson(row.summary, redact),
    };
    if (next.body === row.body && next.comment === row.comment && next.summary === row.summary) continue;
    count += 1;
    if (!dryRun) await database.updateTable('proposals').set(next).where('id', '=', id).execute();
  }
  return count;
}

async function redactDeliveries(database: Database, propertyId: string, redact: Redact, dryRun: boolean) {
  const rows = await database
    .selectFrom('webhook_deliveries')
    .select(['id', 'body', 'last_error', 'last_response'])
    .where('property_id', '=', propertyId)
    .execute();
  let count = 0;
  for (const { id, ...row } of rows) {
    const next = {
      body: inJson(row.body, redact),
      last_error: row.last_error && redact(row.last_error),
      last_response: row.last_response && redact(row.last_response),
    };
    const isSame =
      next.body === row.body &&
      next.last_error === row.last_error &&
      next.last_response === row.last_response;
    if (isSame) continue;
    count += 1;
    if (!dryRun) await database.updateTable('webhook_deliveries').set(next).where('id', '=', id).execute();
  }
  return count;
}

/** A request that is repeated with its `Idempotency-Key` is then carried out again. */
export async function forgetResponses(database: Database, redact: Redact): Promise<void> {
  const rows = await database.selectFrom('created_resources').select(['id', 'response']).execute();
  for (const { id, response } of rows) {
    if (redact(response) === response) continue;
    await database.deleteFrom('created_resources').where('id', '=', id).execute();
  }
}

/** Unchanged if nothing is redacted: the order of members and numbers stay as they are. */
function inJson(json: string, redact: Redact): string {
  const next = JSON.stringify(redactJson(JSON.parse(json), redact));
  return next === JSON.stringify(JSON.parse(json)) ? json : next;
}
