import type { SplitTestEntryQuery } from '../../../store/split-test-queries.ts';
import { MEMORY_BOUNDS } from '../memory-bounds.ts';
import type { QueryContext } from '../query-context.ts';
import { IS_COUNTED, SplitTestVisitors } from './split-test-visitors.ts';

/** When the visitor with this number entered the phase, from 1; undefined if there are fewer. */
export async function splitTestEntry(
  { clickhouse, signal }: QueryContext,
  { by: _, among, ...query }: SplitTestEntryQuery,
  number: number,
): Promise<number | undefined> {
  const visitors = new SplitTestVisitors(clickhouse.tables, query);
  const positions = (among ?? query.variationKeys).map((key) => query.variationKeys.indexOf(key) + 1);
  const isAmong = `has(${visitors.values.integers(positions)}, shown)`;
  const rows = await clickhouse.rows<[firstAt: string]>(
    `SELECT first_at FROM (${visitors.units()}) WHERE ${IS_COUNTED} AND NOT is_bot AND ${isAmong}
     ORDER BY first_at LIMIT 1 OFFSET ${visitors.values.integer(number - 1)}`,
    visitors.values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  return rows[0] && Number(rows[0][0]);
}
