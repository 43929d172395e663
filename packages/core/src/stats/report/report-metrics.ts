import { type Analysis, analyse, type MethodSettings, type VariationResult } from '../analysis.ts';
import type { Looks } from '../group-sequential/compare.ts';
import type { Unit } from '../words/numbers.ts';
import { noGoalSums, type VariationCounts } from './report-counts.ts';
import type { ReportGoal, ReportGoalSums, ReportInput, ReportSums } from './report-input.ts';
import { engineOf } from './report-looks.ts';

export type MetricName =
  | 'conversion-rate'
  | 'conversions-per-visitor'
  | 'revenue-per-visitor'
  | 'revenue-per-converted-visitor';

export interface MetricResult {
  readonly metric: MetricName;
  /** Whether the verdict on the goal is based on this metric; the others are explanatory. */
  readonly decides: boolean;
  readonly variations: readonly VariationResult[];
}

/** Maps the settings of a property to those of the statistics kernel. */
export function methodOf(
  input: Pick<ReportInput, 'statistics' | 'plannedVisitors'>,
  looks?: Looks,
): MethodSettings {
  const { alpha, sequentialN, prior } = input.statistics;
  return {
    method: engineOf(input),
    alpha,
    sequentialN,
    looks,
    ...(prior === null ? {} : { prior: { proper: true, ...prior } }),
  };
}

/** How the metrics of all goals are compared. */
export interface MetricSettings {
  readonly method: MethodSettings;
  readonly cuped: boolean;
  /** Whether no visitor's value of the goal is negative. */
  readonly isNonNegative: (goal: ReportGoal) => boolean;
}

/** Refunds can make the revenue of a visitor negative. */
export function nonNegativeGoals(counts: readonly VariationCounts[]): MetricSettings['isNonNegative'] {
  return ({ id, kind }) =>
    kind !== 'revenue' ||
    counts.every(({ goals }) => {
      const { amount, convertedAmount } = goals.get(id) ?? noGoalSums(id);
      // Visitors who have not converted have no positive amount.
      return amount.sum >= convertedAmount;
    });
}

const METRICS: Record<ReportGoal['kind'], readonly MetricName[]> = {
  count: ['conversion-rate', 'conversions-per-visitor'],
  revenue: ['revenue-per-visitor', 'conversion-rate', 'revenue-per-converted-visitor'],
};

export const unitOf = (metric: MetricName): Unit =>
  metric === 'conversion-rate' ? 'rate' : metric === 'conversions-per-visitor' ? 'number' : 'dollars';

/** All metrics of a goal, or only the first one, which decides. */
export function metricsOf(
  goal: ReportGoal,
  counts: readonly VariationCounts[],
  settings: MetricSettings,
  selection: 'all' | 'deciding',
): MetricResult[] {
  const names = selection === 'all' ? METRICS[goal.kind] : METRICS[goal.kind].slice(0, 1);
  return names.map((metric, index) => ({
    metric,
    decides: index === 0,
    variations: analyse(analysisOf(metric, goal, counts, settings)).variations,
  }));
}

function analysisOf(
  metric: MetricName,
  goal: ReportGoal,
  counts: readonly VariationCounts[],
  { cuped, method, isNonNegative }: MetricSettings,
): Analysis {
  const common = { ...method, control: counts[0]!.key };
  const sumsOf = ({ goals }: VariationCounts) => goals.get(goal.id) ?? noGoalSums(goal.id);
  if (metric === 'revenue-per-converted-visitor') {
    const variations = counts.map((it) => ({ key: it.key, n: it.visitors, ...ratioSums(sumsOf(it)) }));
    return { ...common, metric: 'ratio', variations };
  }
  const pick =
    metric === 'conversion-rate' ? rateSums : metric === 'conversions-per-visitor' ? countSums : amountSums;
  const variations = counts.map((it) => {
    const sums = pick(sumsOf(it));
    return { key: it.key, n: it.visitors, ...(cuped ? sums : withoutCovariate(sums)) };
  });
  return {
    ...common,
    metric: metric === 'conversion-rate' ? 'proportion' : 'mean',
    nonNegative: isNonNegative(goal),
    variations,
  };
}

const countSums = ({ conversions }: ReportGoalSums): ReportSums => conversions;
const amountSums = ({ amount }: ReportGoalSums): ReportSums => amount;

/** 1 for each converted visitor, no matter how many conversions. */
function rateSums({ converted, conversions, convertedCovariate }: ReportGoalSums): ReportSums {
  const { covariateSum, covariateSumSquares } = conversions;
  const covariates = { covariateSum, covariateSumSquares, covariateProduct: convertedCovariate };
  return { sum: converted, sumSquares: converted, ...covariates };
}

/** The numerator includes all revenue, even refunds of visitors who did not convert; the denominator is converted visitors. */
function ratioSums({ converted, amount, convertedAmount }: ReportGoalSums) {
  return {
    sum: amount.sum,
    sumSquares: amount.sumSquares,
    denominatorSum: converted,
    denominatorSumSquares: converted,
    product: convertedAmount,
  };
}

const withoutCovariate = ({ sum, sumSquares }: ReportSums) => ({ sum, sumSquares });
