import { MICROS } from '@switchyard/core/money';
import type { GoalDay, SplitTestQuery, SplitTestSeries } from '../../event-store.ts';
import { recordsOf, rowsOf } from '../sql.ts';
import { dayIn } from './day-range.ts';
import { goalTermsOf, isConverted } from './goal-terms.ts';
import type { QueryContext } from './query-context.ts';
import { ReachedGoals } from './reached-goals.ts';
import type { SumType } from './split-test-groups.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';

/** Daily increments of a phase of a test. The caller holds a snapshot. */
export async function splitTestSeries(
  context: QueryContext,
  query: SplitTestQuery,
  sumType: SumType,
): Promise<SplitTestSeries> {
  const visitors = await newVisitors(context, query);
  return { visitors, goals: visitors.length > 0 ? await goalDays(context, query, sumType) : [] };
}

async function newVisitors(
  context: QueryContext,
  query: SplitTestQuery,
): Promise<SplitTestSeries['visitors']> {
  const visitors = SplitTestVisitors.of(context, { ...query, by: undefined });
  if (!visitors) return [];
  await visitors.resolve(context.connection);
  const rows = await rowsOf<[bigint, bigint, bigint]>(
    context.connection,
    `WITH ${visitors.tables}
     SELECT ${dayIn(query.days, 'first_at')} AS day, bits, count(*) FROM (${visitors.units()})
     WHERE ${visitors.sawOneVariation} GROUP BY day, bits ORDER BY day, bits`,
    visitors.values.list,
  );
  return rows.map(([day, bits, count]) => {
    const { variationKey, bot } = visitors.read(bits);
    return { at: Number(day), variationKey: variationKey as string, bot, visitors: Number(count) };
  });
}

type DayRow = Record<
  'converted' | 'conversions' | 'conversion_squares' | 'micros' | 'micro_squares',
  bigint | number
> & {
  day: bigint;
  bits: bigint;
  goal: number;
};

/**
 * Squares of running totals cannot be summed over days, but their growth can: a visitor whose value goes from a to b
 * adds b² - a² to the sum of squares of that day.
 */
async function goalDays(context: QueryContext, query: SplitTestQuery, sumType: SumType): Promise<GoalDay[]> {
  const visitors = SplitTestVisitors.of(context, { ...query, by: undefined });
  const goals = goalTermsOf(context, query);
  if (!visitors || goals.length === 0) return [];
  const reached = new ReachedGoals(visitors, { ...query, preDays: 0 }, goals);
  await visitors.resolve(context.connection, reached.unresolved);
  const rows = await recordsOf<DayRow>(
    context.connection,
    `WITH ${reached.tables},
     units AS (${visitors.units('WHERE unit IN (SELECT unit FROM reached)')}),
     daily AS (
       SELECT unit, any_value(bits) AS bits, goal, ${dayIn(query.days, 'happened_at')} AS day,
              sum(direction)::${sumType} AS dn, sum(amount_micros)::${sumType} AS da
       FROM reached JOIN units USING (unit) WHERE ${visitors.sawOneVariation} AND happened_at >= first_at
       GROUP BY unit, goal, day),
     running AS (
       SELECT bits, goal, day, dn, da, sum(dn) OVER so_far AS n, sum(da) OVER so_far AS a
       FROM daily WINDOW so_far AS (PARTITION BY unit, goal ORDER BY day))
     SELECT day, bits, goal, sum((${isConverted(goals, 'n', 'a')})::INTEGER
                                - (${isConverted(goals, '(n - dn)', '(a - da)')})::INTEGER) AS converted,
            sum(dn) AS conversions, sum(n * n - (n - dn) * (n - dn)) AS conversion_squares,
            sum(da) AS micros, sum(a * a - (a - da) * (a - da)) AS micro_squares
     FROM running GROUP BY day, bits, goal ORDER BY day, bits, goal`,
    visitors.values.list,
  );
  const goalIds = new Map(goals.map(({ term, goalId }) => [term, goalId]));
  return rows.map((row) => {
    const { variationKey, bot } = visitors.read(row.bits);
    return {
      at: Number(row.day),
      variationKey: variationKey as string,
      bot,
      goalId: goalIds.get(row.goal) as string,
      converted: Number(row.converted),
      conversions: { sum: Number(row.conversions), sumSquares: Number(row.conversion_squares) },
      amount: { sum: Number(row.micros) / MICROS, sumSquares: Number(row.micro_squares) / MICROS ** 2 },
    };
  });
}
