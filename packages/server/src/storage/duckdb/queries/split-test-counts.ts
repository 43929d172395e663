import { DAY_MS } from '@switchyard/core/time';
import type { SplitTestCounts, SplitTestQuery, VisitorGroup } from '../../event-store.ts';
import { rowsOf } from '../sql.ts';
import type { QueryContext } from './query-context.ts';
import { countVisitors, type SumType } from './split-test-groups.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

/** Everything that is counted of one phase of a test. The caller holds a snapshot. */
export async function splitTestCounts(
  context: QueryContext,
  query: SplitTestQuery,
  sumType: SumType,
): Promise<SplitTestCounts> {
  const exposures = await countExposures(context, query);
  const { firstExposureAt } = exposures;
  const groups: VisitorGroup[] = [];
  if (firstExposureAt !== null) {
    const earlyUntil = firstExposureAt + query.earlyDays * DAY_MS;
    const total = exposures.exposures.reduce((sum, it) => sum + it.exposures, 0);
    groups.push(...(await countVisitors(context, { ...query, earlyUntil, sumType }, total)));
  }
  return { ...exposures, groups };
}

async function countExposures(
  context: QueryContext,
  query: SplitTestQuery,
): Promise<Pick<SplitTestCounts, 'firstExposureAt' | 'exposures'>> {
  const visitors = SplitTestVisitors.of(context, { ...query, by: undefined });
  if (!visitors) return { firstExposureAt: null, exposures: [] };
  const rows = await rowsOf<[bigint, bigint, bigint, bigint]>(
    context.connection,
    `SELECT ${visitors.bits} AS seen_bits, count(*), min(least(happened_at, received_at)),
            (happened_at // ${DAY_MS}) * ${DAY_MS} AS day
     FROM exposures WHERE ${visitors.exposed} GROUP BY day, seen_bits ORDER BY day, seen_bits`,
    visitors.values.list,
  );
  const first = rows.map(([, , at]) => Number(at));
  return {
    firstExposureAt: rows.length === 0 ? null : Math.min(...first),
    exposures: rows.map(([bits, count, , day]) => {
      const { variationKey, bot } = visitors.read(bits);
      return { at: Number(day), variationKey: variationKey as string, bot, exposures: Number(count) };
    }),
  };
}
