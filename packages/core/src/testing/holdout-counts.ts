import { DEFAULT_STATISTICS } from '../api/statistics.ts';
import { type HoldoutGoalInput, type HoldoutInput, holdoutReport } from '../stats/report/holdout-report.ts';
import type { ReportGoalSums } from '../stats/report/report-input.ts';

/** Converted visitors, or the dollars that each of them brought. */
export interface Counted extends HoldoutGoalInput {
  readonly converted: readonly [number, number];
  readonly dollars?: number;
}

export const count = (name: string, converted: readonly [number, number], more: object = {}): Counted => ({
  id: name,
  name,
  kind: 'count',
  lowerIsBetter: false,
  converted,
  ...more,
});

export const revenue = (name: string, converted: readonly [number, number], dollars: number): Counted => ({
  ...count(name, converted),
  kind: 'revenue',
  dollars,
});

const plain = (sum: number, sumSquares: number) => ({
  sum,
  sumSquares,
  covariateSum: 0,
  covariateSumSquares: 0,
  covariateProduct: 0,
});

const sumsOf = ({ id, converted, dollars = 0 }: Counted, group: number): ReportGoalSums => ({
  goalId: id,
  converted: converted[group]!,
  conversions: plain(converted[group]!, converted[group]!),
  amount: plain(converted[group]! * dollars, converted[group]! * dollars ** 2),
  convertedAmount: converted[group]! * dollars,
  convertedCovariate: 0,
});

/** Of visitors in the holdout and of all others. */
export const holdoutReportOf = (
  visitors: readonly [number, number],
  goals: readonly Counted[],
  more: Partial<HoldoutInput> = {},
) =>
  holdoutReport({
    percentage: 10,
    largest: 10,
    since: 1_760_000_000_000,
    asOf: 1_767_225_600_000,
    share: 1,
    statistics: DEFAULT_STATISTICS,
    currency: 'USD',
    goals: goals.map(({ id, name, kind, lowerIsBetter }) => ({ id, name, kind, lowerIsBetter })),
    groups: ['held-out', 'others'].map((variationKey, group) => ({
      variationKey,
      bot: false,
      early: false,
      visitors: visitors[group]!,
      goals: goals.map((goal) => sumsOf(goal, group)),
    })),
    winners: [],
    ...more,
  });
