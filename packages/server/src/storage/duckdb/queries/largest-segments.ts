import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../sql.ts';
import type { SplitTestVisitors } from './split-test-visitors.ts';

/** Visitors are spread evenly over the parts: what is large in all of them is among so many of each. */
const CANDIDATES_PER_PART = 1000;

/** The segments with the most visitors that results count: people, and of one variation. */
export async function largestSegments(
  connection: DuckDBConnection,
  visitors: SplitTestVisitors,
  max: number,
  parts: number,
): Promise<string[]> {
  const sizes = new Map<string, number>();
  for (let index = 0; index < parts; index++) {
    visitors.part = parts > 1 ? { index, of: parts } : undefined;
    const rows = await rowsOf<[string, bigint]>(
      connection,
      `WITH ${visitors.tables}
       SELECT segment, count(*) FILTER (${visitors.isPure} AND NOT ${visitors.isBot}) AS size
       FROM (${visitors.units()}) WHERE segment IS NOT NULL
       GROUP BY segment ORDER BY size DESC, segment LIMIT ${CANDIDATES_PER_PART}`,
      visitors.values.list,
    );
    for (const [segment, size] of rows) sizes.set(segment, (sizes.get(segment) ?? 0) + Number(size));
  }
  return [...sizes]
    .sort(([left, one], [right, other]) => other - one || (left < right ? -1 : 1))
    .slice(0, max)
    .map(([segment]) => segment);
}
