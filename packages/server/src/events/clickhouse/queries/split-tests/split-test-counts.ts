import { DAY_MS } from '@switchyard/core/time';
import type { SplitTestCounts, SplitTestQuery } from '../../../store/split-test-queries.ts';
import { dayIn } from '../day-range.ts';
import type { QueryContext } from '../query-context.ts';
import { KIND, SEEN_AT } from './phase-exposures.ts';
import { countVisitors } from './split-test-groups.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

type DayRow = [
  day: string,
  isBot: boolean,
  position: number,
  exposures: string,
  firstReceivedAt: string,
  firstSeenAt: string,
];

/** All counts of one phase of a test. */
export async function splitTestCounts(
  context: QueryContext,
  query: SplitTestQuery,
): Promise<SplitTestCounts> {
  const { clickhouse, signal } = context;
  const visitors = new SplitTestVisitors(clickhouse.tables, query);
  // Those of other tests and phases only for the time of the first.
  const needed = { all: query.preDays > 0 };
  const isOwn = `${visitors.exposures.kind(needed)} = ${KIND.own}`;
  const all = await clickhouse.rows<DayRow>(
    `SELECT ${dayIn(visitors.values, query.days, 'happened_at')} AS day, bot, ${visitors.exposures.position} AS position,
            countIf(${isOwn}), minIf(received_at, ${isOwn}), min(${SEEN_AT})
     FROM ${clickhouse.tables.of('exposures')} WHERE ${visitors.exposures.where(needed)}
     GROUP BY day, bot, position ORDER BY day, bot, position`,
    visitors.values.parameters,
    signal,
  );
  const rows = all.filter(([, , , count]) => Number(count) > 0);
  if (rows.length === 0) return { exposures: [], groups: [] };
  const exposures = rows.map(([day, bot, position, count]) => ({
    at: Number(day),
    variationKey: visitors.variationKey(position) as string,
    bot,
    exposures: Number(count),
  }));
  const earliest = (times: readonly string[]) =>
    times.reduce((first, at) => Math.min(first, Number(at)), Number.POSITIVE_INFINITY);
  // By the server's clock: a single exposure with a date years ago must not make all others late visitors.
  const firstReceivedAt = earliest(rows.map(([, , , , at]) => at));
  const earlyUntil = Math.max(query.startedAt, firstReceivedAt) + query.earlyDays * DAY_MS;
  const since = earliest(all.map(([, , , , , at]) => at)) - query.preDays * DAY_MS;
  return { exposures, groups: await countVisitors(context, { ...query, earlyUntil, since }) };
}
