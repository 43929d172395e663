import type { Database } from '../../configuration/database/database.ts';
import { type DatabaseSource, readDatabase } from '../../configuration/database/open-database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { verifyHistory } from '../../configuration/history/verify-history.ts';
import { loadProperty } from '../../configuration/snapshot/configuration.ts';
import { type Check, firstLine } from './doctor-check.ts';

const NAME = 'History';
const MAX_PROBLEMS = 20;
const HINT =
  'The configuration was changed by something other than Switchyard, or is damaged. Keep a copy of it, find out who changed it, and undo that or restore the last backup.';

/** Checks the history of every property, in a transaction of its own that changes nothing. */
export async function checkHistory(model: ConfigurationModel, source: DatabaseSource): Promise<Check[]> {
  try {
    return await readDatabase(source, (database) => checkProperties(database, model));
  } catch (error) {
    return [{ name: NAME, status: 'fail', detail: `cannot be read: ${firstLine(error)}`, hint: HINT }];
  }
}

async function checkProperties(database: Database, model: ConfigurationModel): Promise<Check[]> {
  const checks: Check[] = [];
  let entries = 0;
  let redacted = 0;
  const ids = await propertyIds(database);
  for (const id of ids) {
    const checked = await checkProperty(database, model, id);
    entries += checked.entries;
    redacted += checked.redacted ?? 0;
    if (checked.check !== undefined) checks.push(checked.check);
    if (checks.length === MAX_PROBLEMS) return checks;
  }
  if (checks.length > 0) return checks;
  const detail = `unbroken and equal to the configuration; properties: ${ids.length}, entries: ${entries}, redacted: ${redacted}`;
  return [{ name: NAME, status: 'ok', detail }];
}

async function checkProperty(
  database: Database,
  model: ConfigurationModel,
  id: string,
): Promise<{ entries: number; redacted?: number; check?: Check }> {
  const [stored] = await model.property.rows.list(database, id);
  const property = stored && (await loadProperty(database, model, stored));
  const { entries, redacted = 0, problem } = await verifyHistory(database, model, id, property);
  if (problem === undefined) return { entries, redacted };
  return {
    entries,
    check: { name: NAME, status: 'fail', detail: `property "${id}": ${problem}`, hint: HINT },
  };
}

/** Deleted properties have a history too. */
async function propertyIds(database: Database): Promise<string[]> {
  const rows = await database
    .selectFrom('properties')
    .select('id')
    .union((select) => select.selectFrom('history').select('property_id as id'))
    .union((select) => select.selectFrom('history_snapshots').select('property_id as id'))
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
