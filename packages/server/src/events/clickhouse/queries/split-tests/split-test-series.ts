import { MICROS } from '@switchyard/core/money';
import type { GoalDay, SplitTestQuery, SplitTestSeries } from '../../../store/split-test-queries.ts';
import { dayIn } from '../day-range.ts';
import { MEMORY_BOUNDS } from '../memory-bounds.ts';
import type { QueryContext } from '../query-context.ts';
import { countedGoals, isConverted } from './counted-goals.ts';
import { reachedGoals } from './reached-goals.ts';
import { IS_COUNTED, SplitTestVisitors } from './split-test-visitors.ts';

/** Daily increments of a phase of a test. */
export async function splitTestSeries(
  context: QueryContext,
  { by: _, ...all }: SplitTestQuery,
): Promise<SplitTestSeries> {
  const query = { ...all, preDays: 0 };
  const { visitors, since } = await newVisitors(context, query);
  return { visitors, goals: visitors.length > 0 ? await goalDays(context, query, since) : [] };
}

type VisitorRow = [day: string, isBot: boolean, shown: number, visitors: string, firstAt: string];

async function newVisitors(
  { clickhouse, signal }: QueryContext,
  query: SplitTestQuery,
): Promise<{ visitors: SplitTestSeries['visitors']; since: number }> {
  const visitors = new SplitTestVisitors(clickhouse.tables, query);
  const rows = await clickhouse.rows<VisitorRow>(
    `SELECT ${dayIn(visitors.values, query.days, 'first_at')} AS day, is_bot, shown, count(), min(first_at)
     FROM (${visitors.units()}) WHERE ${IS_COUNTED} GROUP BY day, is_bot, shown ORDER BY day, is_bot, shown`,
    visitors.values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  return {
    visitors: rows.map(([day, bot, shown, count]) => ({
      at: Number(day),
      variationKey: visitors.variationKey(shown) as string,
      bot,
      visitors: Number(count),
    })),
    since: rows.reduce((first, [, , , , at]) => Math.min(first, Number(at)), Number.POSITIVE_INFINITY),
  };
}

type DayRow = [
  ...[day: string, isBot: boolean, shown: number, goal: number, converted: string],
  ...[conversions: string, conversionSquares: string, micros: string, microSquares: string],
];

/**
 * Squares of running totals cannot be summed over days, but their growth can: a visitor whose value goes from a to b
 * adds b² - a² to the sum of squares of that day.
 */
async function goalDays(
  { clickhouse, signal }: QueryContext,
  query: SplitTestQuery,
  since: number,
): Promise<GoalDay[]> {
  const visitors = new SplitTestVisitors(clickhouse.tables, query);
  const goals = countedGoals(query);
  const { tables } = clickhouse;
  const { values, property } = visitors;
  const events = reachedGoals({ tables, values, property }, { since, until: query.until }, goals);
  if (!events) return [];
  const growth = (total: string, added: string) =>
    `toString(sum(toInt256(${total}) * ${total} - toInt256(${total} - ${added}) * (${total} - ${added})))`;
  const rows = await clickhouse.rows<DayRow>(
    `WITH daily AS (
       SELECT unit, any(is_bot) AS bot, any(shown) AS position, event.1 AS goal,
              ${dayIn(visitors.values, query.days, 'event.2')} AS day,
              sum(toInt128(event.3)) AS dn, sum(toInt128(event.4)) AS da
       FROM (SELECT unit, is_bot, shown, arrayJoin(${visitors.outcomes}) AS event
             FROM (${visitors.units(events)}) WHERE ${IS_COUNTED})
       GROUP BY unit, goal, day),
     running AS (
       SELECT bot, position, goal, day, dn, da, sum(dn) OVER so_far AS n, sum(da) OVER so_far AS a
       FROM daily WINDOW so_far AS (PARTITION BY unit, goal ORDER BY day))
     SELECT day, bot, position, goal,
            sum(toInt64(${isConverted(goals, 'n', 'a')}) - toInt64(${isConverted(goals, '(n - dn)', '(a - da)')})),
            toString(sum(dn)), ${growth('n', 'dn')}, toString(sum(da)), ${growth('a', 'da')}
     FROM running GROUP BY day, bot, position, goal ORDER BY day, bot, position, goal`,
    visitors.values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  return rows.map(([day, bot, position, goal, converted, n, nSquares, micros, microSquares]) => ({
    at: Number(day),
    variationKey: visitors.variationKey(position) as string,
    bot,
    goalId: goals[goal - 1]!.goalId,
    converted: Number(converted),
    conversions: { sum: Number(n), sumSquares: Number(nSquares) },
    amount: { sum: Number(micros) / MICROS, sumSquares: Number(microSquares) / MICROS ** 2 },
  }));
}
