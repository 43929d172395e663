import { MICROS } from '@switchyard/core/money';
import type { Positions } from '../../../store/event-store.ts';
import type { GoalSums, ValueSums, VisitorGroup, VisitorsBefore } from '../../../store/split-test-queries.ts';
import type { SplitTestVisitors } from './split-test-visitors.ts';

type Sum = bigint | number;

/** Integers, so that results do not depend on the order of arrival; DOUBLE if the sums overflow. */
export type SumType = 'HUGEINT' | 'DOUBLE';

/** Sums of a goal, with the SQL over the values of visitors: counts and amounts, `n` and `a`. */
export const GOAL_SUMS = {
  converted: 'count(*) FILTER (converted)',
  conversions: 'sum(n)',
  conversion_squares: 'sum(n * n)',
  micros: 'sum(a)',
  micro_squares: 'sum(a * a)',
  converted_micros: 'coalesce(sum(a) FILTER (converted), 0)',
  outcomes: 'count(*)',
} as const;

/** With the values before the first exposure: those of the goal, `n0` and `a0`, sessions `s0` and revenue `r0`. */
export const COVARIATE_SUMS = {
  conversions_before: 'sum(n0)',
  conversion_squares_before: 'sum(n0 * n0)',
  conversion_products: 'sum(n * n0)',
  conversions_known: 'coalesce(sum(n) FILTER (s0 > 0), 0)',
  conversions_sessions: 'sum(n * s0)',
  conversions_revenue: 'sum(n * r0)',
  conversions_before_known: 'coalesce(sum(n0) FILTER (s0 > 0), 0)',
  conversions_before_sessions: 'sum(n0 * s0)',
  conversions_before_revenue: 'sum(n0 * r0)',
  micros_before: 'sum(a0)',
  micro_squares_before: 'sum(a0 * a0)',
  micro_products: 'sum(a * a0)',
  micros_known: 'coalesce(sum(a) FILTER (s0 > 0), 0)',
  micros_sessions: 'sum(a * s0)',
  micros_revenue: 'sum(a * r0)',
  micros_before_known: 'coalesce(sum(a0) FILTER (s0 > 0), 0)',
  micros_before_sessions: 'sum(a0 * s0)',
  micros_before_revenue: 'sum(a0 * r0)',
  converted_before: 'coalesce(sum(n0) FILTER (converted), 0)',
  converted_known: 'count(*) FILTER (converted AND s0 > 0)',
  converted_sessions: 'coalesce(sum(s0) FILTER (converted), 0)',
  converted_revenue: 'coalesce(sum(r0) FILTER (converted), 0)',
} as const;

/** Sums over all visitors of a group. */
export const BEFORE_SUMS = {
  known: 'count(*) FILTER (s0 > 0)',
  sessions: 'sum(s0)',
  session_squares: 'sum(s0 * s0)',
  revenue: 'sum(r0)',
  revenue_squares: 'sum(r0 * r0)',
  known_revenue: 'coalesce(sum(r0) FILTER (s0 > 0), 0)',
  session_revenue: 'sum(s0 * r0)',
} as const;

type Sums = Record<keyof typeof GOAL_SUMS, Sum>;
type CovariateSums = Record<keyof typeof COVARIATE_SUMS, Sum>;
type BeforeSums = Record<keyof typeof BEFORE_SUMS, Sum>;

/**
 * Sums of a group of visitors for a goal; if `goal` is null, `converted` is the number of visitors. Covariates are only
 * there if the query has them.
 */
export type GroupRow = Sums &
  Partial<CovariateSums & BeforeSums> & {
    kind: number | bigint;
    goal: number | null;
    segment_name: string | null;
    is_other: boolean;
  };

/** Sums by group and goal. */
export type GroupRows = ReadonlyMap<string, Readonly<GroupRow>>;

/** What an earlier answer counted, and the positions of its snapshot. */
export interface EarlierGroups {
  rows: GroupRows;
  positions: Positions;
}

const COLUMNS = [GOAL_SUMS, COVARIATE_SUMS, BEFORE_SUMS].flatMap(
  (sums) => Object.keys(sums) as (keyof (Sums & CovariateSums & BeforeSums))[],
);

/** SQL for the columns of sums. */
export const sumColumns = (sums: Readonly<Record<string, string>>) =>
  Object.entries(sums)
    .map(([name, sum]) => `${sum} AS ${name}`)
    .join(', ');

const groupKeyOf = ({ kind, segment_name, is_other }: GroupRow) =>
  `${kind} ${is_other} ${JSON.stringify(segment_name)}`;

/** No visitor is left of what was counted. */
export const isEmpty = ({ goal, converted, outcomes }: GroupRow) =>
  (goal === null ? converted : outcomes) === 0n;

/** Adds or subtracts sums, still as integers. */
export function addRow(rows: Map<string, GroupRow>, row: GroupRow, sign: 1 | -1): void {
  const key = `${row.goal} ${groupKeyOf(row)}`;
  const sum = rows.get(key);
  if (!sum) {
    rows.set(key, row);
    return;
  }
  for (const column of COLUMNS) {
    const [left, right] = [sum[column], row[column]];
    if (left === undefined || right === undefined) continue;
    sum[column] =
      typeof left === 'bigint' && typeof right === 'bigint'
        ? left + BigInt(sign) * right
        : Number(left) + sign * Number(right);
  }
}

export function groupsOf(
  visitors: SplitTestVisitors,
  goals: readonly { goalId: string; term: number }[],
  rows: readonly GroupRow[],
): VisitorGroup[] {
  const groups = new Map<string, VisitorGroup>();
  const goalIds = new Map(goals.map(({ term, goalId }) => [term, goalId]));
  for (const row of rows) {
    const key = groupKeyOf(row);
    const group = groups.get(key) ?? {
      ...visitors.kinds.read(row.kind),
      segment: visitors.segments.nameOf(row.segment_name),
      other: row.is_other,
      visitors: 0,
      before: null,
      goals: [],
    };
    groups.set(key, group);
    const goalId = row.goal === null ? undefined : goalIds.get(row.goal);
    if (goalId !== undefined) {
      group.goals.push(goalSums(goalId, row));
      continue;
    }
    group.visitors += Number(row.converted);
    if (row.known !== undefined) group.before = visitorsBefore(row);
  }
  return [...groups.values()];
}

const dollars = (micros: Sum | undefined) => number(micros) / MICROS;
const squareDollars = (micros: Sum | undefined) => number(micros) / MICROS ** 2;
const number = (value: Sum | undefined) => Number(value ?? 0);

function visitorsBefore(row: GroupRow): VisitorsBefore {
  return {
    known: number(row.known),
    sessions: number(row.sessions),
    sessionsSquares: number(row.session_squares),
    revenue: dollars(row.revenue),
    revenueSquares: squareDollars(row.revenue_squares),
    knownRevenue: dollars(row.known_revenue),
    product: dollars(row.session_revenue),
  };
}

function goalSums(goalId: string, row: GroupRow): GoalSums {
  const conversions: ValueSums = {
    sum: number(row.conversions),
    sumSquares: number(row.conversion_squares),
    covariateSum: number(row.conversions_before),
    covariateSumSquares: number(row.conversion_squares_before),
    covariateProduct: number(row.conversion_products),
    knownSum: number(row.conversions_known),
    sessionsProduct: number(row.conversions_sessions),
    revenueProduct: dollars(row.conversions_revenue),
    covariateKnown: number(row.conversions_before_known),
    covariateSessions: number(row.conversions_before_sessions),
    covariateRevenue: dollars(row.conversions_before_revenue),
  };
  const amount: ValueSums = {
    sum: dollars(row.micros),
    sumSquares: squareDollars(row.micro_squares),
    covariateSum: dollars(row.micros_before),
    covariateSumSquares: squareDollars(row.micro_squares_before),
    covariateProduct: squareDollars(row.micro_products),
    knownSum: dollars(row.micros_known),
    sessionsProduct: dollars(row.micros_sessions),
    revenueProduct: squareDollars(row.micros_revenue),
    covariateKnown: dollars(row.micros_before_known),
    covariateSessions: dollars(row.micros_before_sessions),
    covariateRevenue: squareDollars(row.micros_before_revenue),
  };
  return {
    goalId,
    converted: number(row.converted),
    conversions,
    amount,
    convertedAmount: dollars(row.converted_micros),
    convertedCovariate: number(row.converted_before),
    convertedKnown: number(row.converted_known),
    convertedSessions: number(row.converted_sessions),
    convertedRevenue: dollars(row.converted_revenue),
  };
}
