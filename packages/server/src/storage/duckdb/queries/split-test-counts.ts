import { DAY_MS } from '@switchyard/core/time';
import type { SplitTestCounts, SplitTestQuery } from '../../event-store.ts';
import { rowsOf } from '../sql.ts';
import { dayIn } from './day-range.ts';
import type { QueryContext } from './query-context.ts';
import { countVisitors, type SumType } from './split-test-groups.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

/** All counts of one phase of a test. The caller holds a snapshot. */
export async function splitTestCounts(
  context: QueryContext,
  query: SplitTestQuery,
  sumType: SumType,
): Promise<SplitTestCounts> {
  const { exposures, total, firstReceivedAt } = await countExposures(context, query);
  if (total === 0) return { exposures, groups: [] };
  // By the server's clock: a single exposure with a date years ago must not make all others late visitors.
  const earlyUntil = Math.max(query.startedAt, firstReceivedAt) + query.earlyDays * DAY_MS;
  return { exposures, groups: await countVisitors(context, { ...query, earlyUntil, sumType }, total) };
}

async function countExposures(
  context: QueryContext,
  query: SplitTestQuery,
): Promise<Pick<SplitTestCounts, 'exposures'> & { total: number; firstReceivedAt: number }> {
  const visitors = SplitTestVisitors.of(context, { ...query, by: undefined });
  if (!visitors) return { exposures: [], total: 0, firstReceivedAt: 0 };
  const rows = await rowsOf<[bigint, bigint, bigint, bigint]>(
    context.connection,
    `SELECT ${visitors.bits} AS seen_bits, count(*), min(received_at), ${dayIn(query.days, 'happened_at')} AS day
     FROM exposures WHERE ${visitors.exposed} GROUP BY day, seen_bits ORDER BY day, seen_bits`,
    visitors.values.list,
  );
  let [total, firstReceivedAt] = [0, Number.POSITIVE_INFINITY];
  const exposures = rows.map(([bits, count, receivedAt, day]) => {
    const { variationKey, bot } = visitors.read(bits);
    total += Number(count);
    firstReceivedAt = Math.min(firstReceivedAt, Number(receivedAt));
    return { at: Number(day), variationKey: variationKey as string, bot, exposures: Number(count) };
  });
  return { exposures, total, firstReceivedAt };
}
