import { MICROS } from '@switchyard/core/money';
import type {
  GoalDay,
  SplitTestEntryQuery,
  SplitTestQuery,
  SplitTestSeries,
} from '../../../store/split-test-queries.ts';
import { recordsOf, rowsOf } from '../../connection/sql.ts';
import { dayIn } from '../day-range.ts';
import { goalTermsOf, isConverted } from '../goals/goal-terms.ts';
import type { QueryContext } from '../query-context.ts';
import type { SumType } from './group-rows.ts';
import { ReachedGoals } from './reached-goals.ts';
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

/** A series has no covariates, and is not split. */
const withoutCovariates = ({ preDays: _, by: _by, ...query }: SplitTestQuery) => query;

/** When the visitor with this number entered the phase. The caller holds a snapshot. */
export async function splitTestEntry(
  context: QueryContext,
  { among, ...query }: SplitTestEntryQuery,
  number: number,
): Promise<number | undefined> {
  const visitors = SplitTestVisitors.of(context, withoutCovariates(query));
  if (!visitors) return undefined;
  await visitors.resolve(context.connection);
  const [row] = await rowsOf<[bigint]>(
    context.connection,
    `WITH ${visitors.tables}
     SELECT first_at FROM (${visitors.countedUnits()}) WHERE ${visitors.kinds.isCounted} AND NOT ${visitors.kinds.isBot}
       AND ${visitors.kinds.isAmong(among ?? query.variationKeys)}
     ORDER BY first_at LIMIT 1 OFFSET ${number - 1}`,
    visitors.values.list,
  );
  return row && Number(row[0]);
}

async function newVisitors(
  context: QueryContext,
  query: SplitTestQuery,
): Promise<SplitTestSeries['visitors']> {
  const visitors = SplitTestVisitors.of(context, withoutCovariates(query));
  if (!visitors) return [];
  await visitors.resolve(context.connection);
  const rows = await rowsOf<[bigint, number | bigint, bigint]>(
    context.connection,
    `WITH ${visitors.tables}
     SELECT ${dayIn(query.days, 'first_at')} AS day, ${visitors.kinds.variationKind} AS shown, count(*)
     FROM (${visitors.countedUnits()}) WHERE ${visitors.kinds.isCounted} GROUP BY day, shown ORDER BY day, shown`,
    visitors.values.list,
  );
  return rows.map(([day, kind, count]) => {
    const { firstVariationKey: variationKey, bot } = visitors.kinds.read(kind);
    return { at: Number(day), variationKey, bot, visitors: Number(count) };
  });
}

type DayRow = Record<
  'converted' | 'conversions' | 'conversion_squares' | 'micros' | 'micro_squares',
  bigint | number
> & {
  day: bigint;
  shown: number | bigint;
  goal: number;
};

/**
 * Squares of running totals cannot be summed over days, but their growth can: a visitor whose value goes from a to b
 * adds b² - a² to the sum of squares of that day.
 */
async function goalDays(context: QueryContext, query: SplitTestQuery, sumType: SumType): Promise<GoalDay[]> {
  const visitors = SplitTestVisitors.of(context, withoutCovariates(query));
  const goals = goalTermsOf(context, query);
  if (!visitors || goals.length === 0) return [];
  const reached = new ReachedGoals(visitors, query, goals);
  await visitors.resolve(context.connection, reached.unresolved);
  const rows = await recordsOf<DayRow>(
    context.connection,
    `WITH ${reached.tables},
     units AS (${visitors.countedUnits('WHERE unit IN (SELECT unit FROM reached)')}),
     daily AS (
       SELECT unit, any_value(${visitors.kinds.variationKind}) AS shown, goal, ${dayIn(query.days, 'happened_at')} AS day,
              sum(direction)::${sumType} AS dn, sum(amount_micros)::${sumType} AS da
       FROM reached JOIN units USING (unit) WHERE ${visitors.kinds.isCounted} AND ${visitors.exposures.inWindow}
       GROUP BY unit, goal, day),
     running AS (
       SELECT shown, goal, day, dn, da, sum(dn) OVER so_far AS n, sum(da) OVER so_far AS a
       FROM daily WINDOW so_far AS (PARTITION BY unit, goal ORDER BY day))
     SELECT day, shown, goal, sum((${isConverted(goals, 'n', 'a')})::INTEGER
                                - (${isConverted(goals, '(n - dn)', '(a - da)')})::INTEGER) AS converted,
            sum(dn) AS conversions, sum(n * n - (n - dn) * (n - dn)) AS conversion_squares,
            sum(da) AS micros, sum(a * a - (a - da) * (a - da)) AS micro_squares
     FROM running GROUP BY day, shown, goal ORDER BY day, shown, goal`,
    visitors.values.list,
  );
  const goalIds = new Map(goals.map(({ term, goalId }) => [term, goalId]));
  return rows.map((row) => {
    const { firstVariationKey: variationKey, bot } = visitors.kinds.read(row.shown);
    return {
      at: Number(row.day),
      variationKey,
      bot,
      goalId: goalIds.get(row.goal) as string,
      converted: Number(row.converted),
      conversions: { sum: Number(row.conversions), sumSquares: Number(row.conversion_squares) },
      amount: { sum: Number(row.micros) / MICROS, sumSquares: Number(row.micro_squares) / MICROS ** 2 },
    };
  });
}
