import type { DuckDBConnection } from '@duckdb/node-api';
import type { GoalSums, SplitTestCounts, SplitTestQuery, ValueSums, VisitorGroup } from '../event-store.ts';
import type { QuestionContext } from './question.ts';
import { SplitTestVisitors } from './split-test-visitors.ts';
import { recordsOf, rowsOf } from './sql.ts';

const DAY = 24 * 60 * 60 * 1000;
const MICROS = 1e6;

type DatedQuery = SplitTestQuery & { earlyUntil: number };

/** Everything that is counted of one phase of a test. The caller holds a snapshot. */
export async function splitTestCounts(
  context: QuestionContext,
  query: SplitTestQuery,
): Promise<SplitTestCounts> {
  const groups = new Map<string, VisitorGroup>();
  const exposures = await countExposures(context, query);
  const { firstExposureAt } = exposures;
  if (firstExposureAt !== null) {
    const dated = { ...query, earlyUntil: firstExposureAt + query.earlyDays * DAY };
    await countVisitors(context, dated, groups);
    const goals = goalsOf(context, query);
    if (goals.length > 0) await countGoals(context, dated, goals, groups);
  }
  return { ...exposures, sessions: await countSessions(context, query), groups: [...groups.values()] };
}

async function countExposures(
  context: QuestionContext,
  query: SplitTestQuery,
): Promise<Pick<SplitTestCounts, 'firstExposureAt' | 'lastExposureAt' | 'exposures'>> {
  const visitors = SplitTestVisitors.of(context, { ...query, by: undefined });
  if (!visitors) return { firstExposureAt: null, lastExposureAt: null, exposures: [] };
  const rows = await rowsOf<[bigint, bigint, bigint, bigint, bigint]>(
    context.connection,
    `SELECT ${visitors.bits} AS seen_bits, count(*), min(least(happened_at, received_at)), max(happened_at),
            (happened_at // ${DAY}) * ${DAY} AS day
     FROM exposures WHERE ${visitors.exposed} GROUP BY day, seen_bits ORDER BY day, seen_bits`,
    visitors.values.list,
  );
  const times = (column: 2 | 3) => rows.map((row) => Number(row[column]));
  return {
    firstExposureAt: rows.length === 0 ? null : Math.min(...times(2)),
    lastExposureAt: rows.length === 0 ? null : Math.max(...times(3)),
    exposures: rows.map(([bits, count, , , day]) => {
      const { variationKey, bot } = visitors.read(bits);
      return { at: Number(day), variationKey: variationKey as string, bot, exposures: Number(count) };
    }),
  };
}

async function countVisitors(
  context: QuestionContext,
  query: DatedQuery,
  groups: Map<string, VisitorGroup>,
): Promise<void> {
  const visitors = SplitTestVisitors.of(context, query) as SplitTestVisitors;
  // Every column more is a tenth of the time, and a hash table that no longer fits into memory the sooner.
  const segment = visitors.isSegmented ? 'arg_min(segment, (seen_at, segment))' : 'NULL';
  const rows = await rowsOf<[bigint, string | null, bigint]>(
    context.connection,
    `WITH ${visitors.tables()}
     SELECT bits, segment, count(*)
     FROM (SELECT bit_or(bits) AS bits, ${segment} AS segment FROM seen GROUP BY unit)
     GROUP BY bits, segment ORDER BY bits, segment`,
    visitors.values.list,
  );
  for (const [bits, value, count] of rows) groupOf(groups, visitors, bits, value).visitors += Number(count);
}

function groupOf(
  groups: Map<string, VisitorGroup>,
  visitors: SplitTestVisitors,
  bits: bigint,
  segment: string | null,
): VisitorGroup {
  const { variationKey, bot, early } = visitors.read(bits);
  const key = JSON.stringify([variationKey, bot, early, segment]);
  let group = groups.get(key);
  if (!group) {
    group = { variationKey, bot, early, segment, visitors: 0, goals: [] };
    groups.set(key, group);
  }
  return group;
}

/** The goals that anything was stored of, by their term. */
export function goalsOf(
  { terms }: QuestionContext,
  { goalIds }: Pick<SplitTestQuery, 'goalIds'>,
): { goalId: string; term: number }[] {
  return goalIds.flatMap((goalId) => {
    const term = terms.find(goalId);
    return term === undefined ? [] : [{ goalId, term }];
  });
}

type GoalRow = Record<
  | 'converted'
  | 'conversions'
  | 'conversion_squares'
  | 'conversions_before'
  | 'conversion_squares_before'
  | 'conversion_products'
  | 'micros'
  | 'micro_squares'
  | 'micros_before'
  | 'micro_squares_before'
  | 'micro_products'
  | 'converted_micros'
  | 'converted_before',
  bigint | number
> & { bits: bigint; goal: number; segment: string | null };

async function countGoals(
  context: QuestionContext,
  query: DatedQuery,
  goals: readonly { goalId: string; term: number }[],
  groups: Map<string, VisitorGroup>,
): Promise<void> {
  const visitors = SplitTestVisitors.of(context, query) as SplitTestVisitors;
  for (const row of await goalRows(context.connection, visitors, query, goals)) {
    const group = groupOf(groups, visitors, row.bits, row.segment);
    const goalId = goals.find(({ term }) => term === row.goal)?.goalId as string;
    group.goals.push(goalSums(goalId, row));
  }
}

async function goalRows(
  connection: DuckDBConnection,
  visitors: SplitTestVisitors,
  query: SplitTestQuery,
  goals: readonly { term: number }[],
): Promise<GoalRow[]> {
  const ask = (wide: string) =>
    recordsOf<GoalRow>(connection, goalStatement(visitors, query, goals, wide), visitors.values.list);
  try {
    // Whole numbers, so that the order of arrival cannot change a digit.
    return await ask('HUGEINT');
  } catch (error) {
    // Squares of sums beyond all reason.
    if (!(error instanceof Error) || !/overflow|out of range/i.test(error.message)) throw error;
    return ask('DOUBLE');
  }
}

/** Conversions of the goals by those who were exposed, as the table `reached`. */
export function reachedTables(
  visitors: SplitTestVisitors,
  { from, until, preDays }: Pick<SplitTestQuery, 'from' | 'until' | 'preDays'>,
  goals: readonly { term: number }[],
): string {
  const since = preDays > 0 ? from - preDays * DAY : from;
  const condition = `property = ${visitors.property} AND session_key IS NOT NULL
    AND goal IN (${goals.map(({ term }) => term).join(', ')})
    AND happened_at < ${until} AND happened_at >= ${since}`;
  return `${visitors.tables([`SELECT session_key FROM conversions WHERE ${condition} AND unit_key IS NULL`])},
    reached AS MATERIALIZED (
      SELECT coalesce(visitor_key, unit_key, session_key) AS unit, goal, happened_at, direction, amount_micros
      FROM conversions LEFT JOIN renamed USING (session_key) WHERE ${condition}),
    units AS (${visitors.units('WHERE unit IN (SELECT unit FROM reached)')})`;
}

function goalStatement(
  visitors: SplitTestVisitors,
  query: SplitTestQuery,
  goals: readonly { term: number }[],
  wide: string,
): string {
  const sum = (column: string, condition: string) =>
    `coalesce(sum(${column}) FILTER (${condition}), 0)::${wide}`;
  const after = 'happened_at >= first_at';
  const before = `happened_at < first_at AND happened_at >= first_at - ${query.preDays * DAY}`;
  const cut = (column: string) =>
    query.winsorize === undefined ? column : `least(${column}, coalesce(${column}_cap, ${column}))`;
  return `WITH ${reachedTables(visitors, query, goals)},
    outcomes AS ${query.winsorize === undefined ? '' : 'MATERIALIZED'} (
      SELECT goal, any_value(bits) AS bits, any_value(segment) AS segment,
             ${sum('direction', after)} AS n, ${sum('amount_micros', after)} AS a,
             ${sum('direction', before)} AS n0, ${sum('amount_micros', before)} AS a0
      FROM reached JOIN units USING (unit) WHERE ${visitors.isPure} GROUP BY unit, goal)
    ${query.winsorize === undefined ? '' : capsTable(query.winsorize, wide)},
    values_ AS (
      SELECT goal, bits, segment, n > 0 AS converted, ${cut('n')} AS n, ${cut('a')} AS a, n0, a0
      FROM outcomes ${query.winsorize === undefined ? '' : 'LEFT JOIN caps USING (goal)'})
    SELECT bits, goal, segment, count(*) FILTER (converted) AS converted,
           sum(n) AS conversions, sum(n * n) AS conversion_squares,
           sum(n0) AS conversions_before, sum(n0 * n0) AS conversion_squares_before,
           sum(n * n0) AS conversion_products,
           sum(a) AS micros, sum(a * a) AS micro_squares,
           sum(a0) AS micros_before, sum(a0 * a0) AS micro_squares_before, sum(a * a0) AS micro_products,
           coalesce(sum(a) FILTER (converted), 0) AS converted_micros,
           coalesce(sum(n0) FILTER (converted), 0) AS converted_before
    FROM values_ GROUP BY bits, goal, segment`;
}

/** The same cut for all variations, or it would make a difference where there is none. */
function capsTable(quantile: number, wide: string): string {
  return `, caps AS (
    SELECT goal, quantile_disc(n, ${quantile}) FILTER (n > 0)::${wide} AS n_cap,
           quantile_disc(a, ${quantile}) FILTER (a > 0)::${wide} AS a_cap
    FROM outcomes GROUP BY goal)`;
}

function goalSums(goalId: string, row: GoalRow): GoalSums {
  const number = (value: bigint | number) => Number(value);
  const conversions: ValueSums = {
    sum: number(row.conversions),
    sumSquares: number(row.conversion_squares),
    covariateSum: number(row.conversions_before),
    covariateSumSquares: number(row.conversion_squares_before),
    covariateProduct: number(row.conversion_products),
  };
  const amount: ValueSums = {
    sum: number(row.micros) / MICROS,
    sumSquares: number(row.micro_squares) / MICROS ** 2,
    covariateSum: number(row.micros_before) / MICROS,
    covariateSumSquares: number(row.micro_squares_before) / MICROS ** 2,
    covariateProduct: number(row.micro_products) / MICROS ** 2,
  };
  return {
    goalId,
    converted: number(row.converted),
    conversions,
    amount,
    convertedAmount: number(row.converted_micros) / MICROS,
    convertedCovariate: number(row.converted_before),
  };
}

async function countSessions(
  { connection, terms }: QuestionContext,
  { propertyId, from, to }: SplitTestQuery,
): Promise<number> {
  const property = terms.find(propertyId);
  if (property === undefined) return 0;
  const rows = await rowsOf<[bigint]>(
    connection,
    'SELECT count(*) FROM sessions WHERE property = $1 AND started_at >= $2 AND started_at < $3',
    [property, from, to],
  );
  return Number((rows[0] as [bigint])[0]);
}
