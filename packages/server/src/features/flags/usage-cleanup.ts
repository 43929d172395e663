import { DAY_MS } from '@switchyard/core/time';
import type { Database } from '../../configuration/database/database.ts';

const KEEP_USAGE_MS = 400 * DAY_MS;
/** Longer than the SDK retries a report. */
const KEEP_REPORTS_MS = DAY_MS;
const REPORTS_PER_STEP = 1000;
/** Bounds one run; the next one continues. */
const MAX_STEPS = 100;

/** Deletes what is no longer needed in small steps, so that no change of the configuration waits for it. */
export async function deleteOldUsage(database: Database, now: number): Promise<void> {
  const properties = await database.selectFrom('properties').select('id').execute();
  for (const { id } of properties) {
    await repeat(() => deleteOldestHour(database, id, now - KEEP_USAGE_MS));
    await repeat(() => deleteOldestReports(database, id, now - KEEP_REPORTS_MS));
    await database
      .deleteFrom('flag_latest_values')
      .where('property_id', '=', id)
      .where('last_at', '<', now - KEEP_USAGE_MS)
      .execute();
  }
}

async function repeat(step: () => Promise<boolean>): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS && (await step()); steps++);
}

/** False if nothing is left. */
async function deleteOldestHour(database: Database, propertyId: string, before: number): Promise<boolean> {
  const oldest = await database
    .selectFrom('flag_usage')
    .select(({ fn }) => fn.min<number | null>('hour').as('hour'))
    .where('property_id', '=', propertyId)
    .executeTakeFirst();
  const hour = oldest?.hour ?? null;
  if (hour === null || hour >= before) return false;
  await database
    .deleteFrom('flag_usage')
    .where('property_id', '=', propertyId)
    .where('hour', '=', hour)
    .execute();
  return true;
}

/** False if nothing is left. */
async function deleteOldestReports(database: Database, propertyId: string, before: number): Promise<boolean> {
  const next = await database
    .selectFrom('usage_reports')
    .select('received_at')
    .where('property_id', '=', propertyId)
    .where('received_at', '<', before)
    .orderBy('received_at')
    .limit(1)
    .offset(REPORTS_PER_STEP)
    .executeTakeFirst();
  await database
    .deleteFrom('usage_reports')
    .where('property_id', '=', propertyId)
    .where('received_at', '<', before)
    .where('received_at', '<=', next?.received_at ?? before)
    .execute();
  return next !== undefined;
}
