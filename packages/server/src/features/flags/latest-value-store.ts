import type { Database } from '../../configuration/database/database.ts';
import { type LatestValue, latestValue } from './latest-value.ts';
import { chunksOf, flagAndEnvironment, groupBy, type UsageRow } from './usage-rows.ts';

/** Updates the latest values, in the caller's transaction. */
export async function saveLatestValues(transaction: Database, rows: readonly UsageRow[]): Promise<void> {
  for (const propertyRows of groupBy(rows, ({ propertyId }) => propertyId)) {
    const propertyId = propertyRows[0]!.propertyId;
    for (const flags of chunksOf(groupBy(propertyRows, ({ flagKey }) => flagKey))) {
      const keys = flags.map(([first]) => first!.flagKey);
      const stored = await readLatestValues(transaction, propertyId, keys);
      const changed = groupBy(flags.flat(), flagAndEnvironment).map((group) => {
        const { environmentId, flagKey } = group[0]!;
        const previous = stored.find((it) => it.environmentId === environmentId && it.flagKey === flagKey);
        return { environmentId, flagKey, ...latestValue(previous, group) };
      });
      for (const chunk of chunksOf(changed)) await writeLatestValues(transaction, propertyId, chunk);
    }
  }
}

export interface StoredLatestValue extends LatestValue {
  environmentId: string;
  flagKey: string;
}

/** @param flagKeys default: all flags */
export async function readLatestValues(
  database: Database,
  propertyId: string,
  flagKeys?: readonly string[],
): Promise<StoredLatestValue[]> {
  const rows = await database
    .selectFrom('flag_latest_values')
    .select(['environment_id as environmentId', 'flag_key as flagKey', 'value', 'since', 'last_at as lastAt'])
    .where('property_id', '=', propertyId)
    .$if(flagKeys !== undefined, (query) => query.where('flag_key', 'in', flagKeys!))
    .execute();
  return rows;
}

async function writeLatestValues(
  transaction: Database,
  propertyId: string,
  latest: readonly StoredLatestValue[],
): Promise<void> {
  await transaction
    .insertInto('flag_latest_values')
    .values(
      latest.map(({ environmentId, flagKey, value, since, lastAt }) => ({
        property_id: propertyId,
        environment_id: environmentId,
        flag_key: flagKey,
        value,
        since,
        last_at: lastAt,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['property_id', 'environment_id', 'flag_key']).doUpdateSet(({ ref }) => ({
        value: ref('excluded.value'),
        since: ref('excluded.since'),
        last_at: ref('excluded.last_at'),
      })),
    )
    .execute();
}
