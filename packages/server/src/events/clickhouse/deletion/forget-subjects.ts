import type { Erasure, Subject } from '../../store/erasure-subject.ts';
import type { ClickHouse } from '../connection/clickhouse-client.ts';
import { SqlValues } from '../connection/sql-values.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { countsOnce } from '../queries/repeated-events.ts';
import { EVENT_TABLES, SESSION_TABLES } from '../schema/table-columns.ts';
import { deleteRows } from './delete-rows.ts';
import { eraseRows, findRows } from './erase-rows.ts';
import { setRetention } from './set-retention.ts';
import { partsOf, sessionsOf } from './subject-rows.ts';

/** Deletes all rows of the subjects' sessions, and single entries. */
export async function forgetSubjects(
  context: QueryContext,
  subjects: readonly Subject[],
): Promise<Erasure[]> {
  const { clickhouse } = context;
  const toErase = new Map<string, string[]>();
  const erasures: Erasure[] = [];
  const seen = new Set<string>();
  const properties = new Set<string>();
  const counted = new Map<string, number>();
  for (const subject of subjects) {
    const { propertyId } = subject;
    if (properties.has(propertyId)) {
      erasures.push({ rows: 0 });
      continue;
    }
    if ('everything' in subject) {
      properties.add(propertyId);
      const rows = await countAllEvents(context, propertyId);
      erasures.push({ rows: rows - (counted.get(propertyId) ?? 0) });
      continue;
    }
    const keyOf = (sessionId: string) => JSON.stringify([propertyId, sessionId]);
    if ('feedbackId' in subject || 'metadata' in subject) {
      const found = await findRows(clickhouse, subject, (sessionId) => seen.has(keyOf(sessionId)));
      await eraseRows(clickhouse, found);
      erasures.push({ rows: found.rows });
      continue;
    }
    const all = await sessionsOf(clickhouse, subject);
    const sessionIds = all.filter((sessionId) => !seen.has(keyOf(sessionId)));
    for (const sessionId of sessionIds) seen.add(keyOf(sessionId));
    toErase.set(propertyId, [...(toErase.get(propertyId) ?? []), ...sessionIds]);
    const rows = await countEvents(clickhouse, propertyId, sessionIds);
    counted.set(propertyId, (counted.get(propertyId) ?? 0) + rows);
    erasures.push({ rows });
  }
  for (const propertyId of properties) await deleteProperty(context, propertyId);
  for (const [propertyId, sessionIds] of toErase) {
    if (properties.has(propertyId)) continue;
    for (const part of partsOf(sessionIds)) await deleteSessions(clickhouse, propertyId, part);
  }
  return erasures;
}

/** Number of events of a property. */
export async function countAllEvents({ clickhouse }: QueryContext, propertyId: string): Promise<number> {
  const values = new SqlValues();
  const property = values.text(propertyId);
  const counts = EVENT_TABLES.map((table) => {
    const isCounted =
      table === 'conversions' || table === 'feedback' ? countsOnce(clickhouse.tables, property) : 'true';
    return `SELECT count() AS events FROM ${clickhouse.tables.of(table)} WHERE property = ${property} AND ${isCounted}`;
  });
  const rows = await clickhouse.rows<[string]>(
    `SELECT sum(events) FROM (${counts.join(' UNION ALL ')})`,
    values.parameters,
  );
  return Number(rows[0]![0]);
}

async function deleteProperty(context: QueryContext, propertyId: string): Promise<void> {
  const { clickhouse } = context;
  // The rules of the tables would name it for good.
  await setRetention(context, new Map([[propertyId, 0]]));
  const values = new SqlValues();
  const condition = `property = ${values.text(propertyId)}`;
  for (const table of [...SESSION_TABLES, 'retentions'] as const) {
    await deleteRows(clickhouse, table, condition, values.parameters);
  }
}

async function countEvents(
  clickhouse: ClickHouse,
  propertyId: string,
  sessionIds: readonly string[],
): Promise<number> {
  let total = 0;
  for (const part of partsOf(sessionIds)) {
    const values = new SqlValues();
    const property = values.text(propertyId);
    const where = `property = ${property} AND session_id IN ${values.texts(part)}`;
    const counts = EVENT_TABLES.map((table) => {
      const isCounted =
        table === 'conversions' || table === 'feedback'
          ? `has_session AND ${countsOnce(clickhouse.tables, property)}`
          : 'true';
      return `SELECT count() AS events FROM ${clickhouse.tables.of(table)} WHERE ${where} AND ${isCounted}`;
    });
    const rows = await clickhouse.rows<[string]>(
      `SELECT sum(events) FROM (${counts.join(' UNION ALL ')})`,
      values.parameters,
    );
    total += Number(rows[0]![0]);
  }
  return total;
}

/** The collects last: if this is interrupted, the sessions of a visitor can still be found. */
async function deleteSessions(
  clickhouse: ClickHouse,
  propertyId: string,
  sessionIds: readonly string[],
): Promise<void> {
  for (const table of SESSION_TABLES) {
    const values = new SqlValues();
    const hasSession = table === 'conversions' || table === 'feedback' ? 'has_session' : 'true';
    const condition = `property = ${values.text(propertyId)} AND session_id IN ${values.texts(sessionIds)} AND ${hasSession}`;
    await deleteRows(clickhouse, table, condition, values.parameters);
  }
}
