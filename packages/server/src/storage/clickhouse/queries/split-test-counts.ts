import { DAY_MS } from '@switchyard/core/time';
import type { SplitTestCounts, SplitTestQuery } from '../../event-store.ts';
import { dayIn } from './day-range.ts';
import type { QueryContext } from './query-context.ts';
import { countVisitors } from './split-test-groups.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

type DayRow = [day: string, isBot: boolean, position: number, exposures: string, firstReceivedAt: string];

/** All counts of one phase of a test. */
export async function splitTestCounts(
  context: QueryContext,
  query: SplitTestQuery,
  signal?: AbortSignal,
): Promise<SplitTestCounts> {
  const { clickhouse } = context;
  const visitors = new SplitTestVisitors(clickhouse.tables, query);
  const rows = await clickhouse.rows<DayRow>(
    `SELECT ${dayIn(visitors.values, query.days, 'happened_at')} AS day, bot, ${visitors.position} AS position,
            count(), min(received_at)
     FROM ${clickhouse.tables.of('exposures')} WHERE ${visitors.exposed}
     GROUP BY day, bot, position ORDER BY day, bot, position`,
    visitors.values.parameters,
    signal,
  );
  if (rows.length === 0) return { exposures: [], groups: [] };
  const exposures = rows.map(([day, bot, position, count]) => ({
    ...{ at: Number(day), variationKey: visitors.variationKey(position) as string },
    ...{ bot, exposures: Number(count) },
  }));
  // By the server's clock: a single exposure with a date years ago must not make all others late visitors.
  const firstReceivedAt = rows.reduce(
    (first, [, , , , at]) => Math.min(first, Number(at)),
    Number.POSITIVE_INFINITY,
  );
  const earlyUntil = Math.max(query.startedAt, firstReceivedAt) + query.earlyDays * DAY_MS;
  return { exposures, groups: await countVisitors(context, { ...query, earlyUntil }, signal) };
}
