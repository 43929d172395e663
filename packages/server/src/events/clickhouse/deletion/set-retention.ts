import { randomUUID } from 'node:crypto';
import type { ClickHouse } from '../connection/clickhouse-client.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { COLUMNS, EVENT_TABLES, type TableName } from '../schema/table-columns.ts';
import { quoteText } from '../schema/table-names.ts';

/** Times are limited, so that adding the days cannot exceed the largest time of the engine, in the year 2106. */
const MAX_SECONDS = 3_400_000_000;
/** With more days the sum could exceed it, and would be a time long ago: then only `expire` deletes. */
const MAX_DAYS = 10_000;
/** Stored while the rules of the tables are being changed: if that is interrupted, they may differ from one another. */
const CHANGING = 2 ** 32 - 1;

/**
 * Sets after how many days the engine deletes events by itself. Collects and starts stay until `expire`: they are needed
 * as long as their session has any event.
 */
export async function setRetention(
  { clickhouse }: QueryContext,
  days: ReadonlyMap<string, number>,
): Promise<void> {
  const stored = await storedRetention(clickhouse);
  const changed = [...days].filter(([property, count]) => (stored.get(property) ?? 0) !== count);
  if (changed.length === 0) return;
  const rules = ttlOf(new Map([...stored, ...changed]));
  await storeRetention(
    clickhouse,
    changed.map(([property]) => [property, CHANGING]),
  );
  for (const table of EVENT_TABLES) await modifyTtl(clickhouse, table, rules('happened_at'));
  // Last, so that a call after a failure tries again, whatever the days are by then.
  await storeRetention(clickhouse, changed);
}

/** The token is new each time: days can change back. */
function storeRetention(clickhouse: ClickHouse, days: readonly [string, number][]): Promise<void> {
  return clickhouse.insert('retentions', COLUMNS.retentions, days, `retentions:${randomUUID()}`);
}

async function storedRetention(clickhouse: ClickHouse): Promise<Map<string, number>> {
  const rows = await clickhouse.rows<[string, number]>(
    `SELECT property, argMax(days, changed_at) FROM ${clickhouse.tables.of('retentions')} GROUP BY property`,
  );
  return new Map(rows);
}

/** One rule for all properties with the same number of days; none for 0, which means forever, and for too many. */
function ttlOf(days: ReadonlyMap<string, number>): (column: string) => string {
  const properties = new Map<number, string[]>();
  for (const [property, count] of [...days].sort()) {
    if (count === 0 || count > MAX_DAYS) continue;
    properties.set(count, [...(properties.get(count) ?? []), quoteText(property)]);
  }
  return (column) =>
    [...properties]
      .map(
        ([count, names]) =>
          `toDateTime(least(greatest(intDiv(${column}, 1000), 0), ${MAX_SECONDS})) + toIntervalDay(${count})
           DELETE WHERE property IN (${names.join(', ')})`,
      )
      .join(',\n');
}

async function modifyTtl(clickhouse: ClickHouse, table: TableName, rules: string): Promise<void> {
  const { tables } = clickhouse;
  // An error of the engine, if there is nothing to remove.
  if (rules === '' && !(await hasTtl(clickhouse, table))) return;
  await clickhouse.command(
    `ALTER TABLE ${tables.stored(table)}${tables.onCluster} ${rules === '' ? 'REMOVE TTL' : `MODIFY TTL ${rules}`}`,
    {},
    // Old data is deleted when its files are merged next, not by rewriting all of them now.
    { materialize_ttl_after_modify: 0 },
  );
}

async function hasTtl(clickhouse: ClickHouse, table: TableName): Promise<boolean> {
  const { database, cluster } = clickhouse.tables;
  const rows = await clickhouse.rows<[number]>(
    `SELECT 1 FROM system.tables WHERE database = {database:String} AND name = {name:String}
     AND position(create_table_query, 'TTL ') > 0`,
    { database, name: cluster === undefined ? table : `${table}_local` },
  );
  return rows.length > 0;
}
