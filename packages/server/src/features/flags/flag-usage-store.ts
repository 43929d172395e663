import { sql } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import type { UsageCount } from './evaluation-counts.ts';
import { saveLatestValues } from './latest-value-store.ts';
import { chunksOf, flagAndEnvironment, groupBy, mergeByHour, type UsageRow } from './usage-rows.ts';
import { OTHER_VALUES } from './usage-value.ts';

/** Max distinct values per flag, environment and hour; further ones are counted together. */
const MAX_VALUES = 100;
/** Added to no more above this, so that sums stay exact enough. */
const MAX_COUNT = 1e15;

/** Until the end of the transaction, no other process adds counts; its single row stands for all of them. */
export async function lockUsage(transaction: Database): Promise<void> {
  await transaction.selectFrom('usage_start').select('counting_since').forNoKeyUpdate().execute();
}

/** Adds counts, in the caller's transaction. Counts of properties that no longer exist are dropped. */
export async function addUsage(transaction: Database, counts: readonly UsageCount[]): Promise<void> {
  const known = await existingProperties(transaction, counts);
  const rows = mergeByHour(counts.filter(({ propertyId }) => known.has(propertyId)));
  if (rows.length === 0) return;
  await saveLatestValues(transaction, rows);
  for (const chunk of chunksOf(mergeByHour(await limitValues(transaction, rows)))) {
    await transaction
      .insertInto('flag_usage')
      .values(
        chunk.map((row) => ({
          property_id: row.propertyId,
          hour: row.hour,
          environment_id: row.environmentId,
          flag_key: row.flagKey,
          value: row.value,
          count: row.count,
          last_at: row.at,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['property_id', 'hour', 'environment_id', 'flag_key', 'value']).doUpdateSet({
          count: sql`case when flag_usage.count > ${MAX_COUNT} then flag_usage.count else flag_usage.count + excluded.count end`,
          last_at: sql`case when excluded.last_at > flag_usage.last_at then excluded.last_at else flag_usage.last_at end`,
        }),
      )
      .execute();
  }
}

async function existingProperties(
  transaction: Database,
  counts: readonly UsageCount[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(counts.map(({ propertyId }) => propertyId))];
  const existing = new Set<string>();
  for (const chunk of chunksOf(ids)) {
    const rows = await transaction.selectFrom('properties').select('id').where('id', 'in', chunk).execute();
    for (const { id } of rows) existing.add(id);
  }
  return existing;
}

/** Replaces values beyond the limit. Few flags come close to it, so that the values of most need not be read. */
async function limitValues(transaction: Database, rows: readonly UsageRow[]): Promise<UsageRow[]> {
  const limited: UsageRow[] = [];
  for (const hourRows of groupBy(rows, ({ propertyId, hour }) => JSON.stringify([propertyId, hour]))) {
    const { propertyId, hour } = hourRows[0]!;
    const groups = groupBy(hourRows, flagAndEnvironment);
    const added = Math.max(...groups.map((group) => group.length));
    const full = await transaction
      .selectFrom('flag_usage')
      .select(['environment_id', 'flag_key'])
      .where('property_id', '=', propertyId)
      .where('hour', '=', hour)
      .groupBy(['environment_id', 'flag_key'])
      .having(({ fn }) => fn.countAll(), '>', MAX_VALUES - added)
      .execute();
    const fullKeys = new Set(full.map((row) => JSON.stringify([row.environment_id, row.flag_key])));
    for (const group of groups) {
      const mayExceed = group.length > MAX_VALUES || fullKeys.has(flagAndEnvironment(group[0]!));
      limited.push(...(mayExceed ? await limitGroup(transaction, group) : group));
    }
  }
  return limited;
}

async function limitGroup(transaction: Database, group: readonly UsageRow[]): Promise<UsageRow[]> {
  const { propertyId, hour, environmentId, flagKey } = group[0]!;
  const stored = await transaction
    .selectFrom('flag_usage')
    .select('value')
    .where('property_id', '=', propertyId)
    .where('hour', '=', hour)
    .where('environment_id', '=', environmentId)
    .where('flag_key', '=', flagKey)
    .execute();
  const values = new Set(stored.map(({ value }) => value));
  values.delete(OTHER_VALUES);
  return group.map((row) => {
    if (values.size < MAX_VALUES) values.add(row.value);
    return values.has(row.value) ? row : { ...row, value: OTHER_VALUES };
  });
}

/** Remembers a report, in the caller's transaction; false if it was already counted. */
export async function rememberReport(
  transaction: Database,
  propertyId: string,
  reportId: string,
  receivedAt: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('usage_reports')
    .columns(['property_id', 'report_id', 'received_at'])
    // The property may have been deleted since the report was accepted.
    .expression((select) =>
      select
        .selectFrom('properties')
        .select(({ val }) => ['id', val(reportId).as('report_id'), val(receivedAt).as('received_at')])
        .where('id', '=', propertyId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Counts of one value in a period. */
export interface ValueTotal {
  environmentId: string;
  flagKey: string;
  /** JSON, or `OTHER_VALUES`. */
  value: string;
  count: number;
  lastAt: number;
}

interface UsageFilter {
  propertyId: string;
  /** Start of the first hour. */
  from: number;
  /** Default: all flags. */
  flagKey?: string | undefined;
  /** Values listed per flag and environment, most frequent first; the others are combined. */
  maxValues: number;
}

/** Groups in the database, so that the size of the result depends on the number of flags alone. */
export async function readUsage(database: Database, filter: UsageFilter): Promise<ValueTotal[]> {
  const { propertyId, from, flagKey, maxValues } = filter;
  const ofFlag = flagKey === undefined ? sql`` : sql`and flag_key = ${flagKey}`;
  // Floating point: sums of large counts must not overflow.
  const { rows } = await sql<ValueTotal>`
    select environment_id as "environmentId", flag_key as "flagKey", shown as "value",
           sum(total) as "count", max(last_at) as "lastAt"
    from (
      select environment_id, flag_key, total, last_at,
             case when place > ${maxValues} then ${OTHER_VALUES} else value end as shown
      from (
        select environment_id, flag_key, value, total, last_at,
               row_number() over (
                 partition by environment_id, flag_key
                 order by case when value = ${OTHER_VALUES} then 1 else 0 end, total desc, value
               ) as place
        from (
          select environment_id, flag_key, value, sum(cast(count as double precision)) as total,
                 max(last_at) as last_at
          from flag_usage where property_id = ${propertyId} and hour >= ${from} ${ofFlag}
          group by environment_id, flag_key, value
        ) as totals
      ) as places
    ) as listed
    group by environment_id, flag_key, shown
    order by environment_id, flag_key, sum(total) desc, shown`.execute(database);
  return rows.map((row) => ({ ...row, count: Number(row.count), lastAt: Number(row.lastAt) }));
}

/** When counting began. */
export async function readCountingSince(database: Database): Promise<number> {
  const row = await database.selectFrom('usage_start').select('counting_since').executeTakeFirstOrThrow();
  return Number(row.counting_since);
}
