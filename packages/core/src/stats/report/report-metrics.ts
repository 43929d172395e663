import { type Analysis, analyse, type MethodSettings, type VariationResult } from '../analysis.ts';
import type { Looks } from '../group-sequential/compare.ts';
import type { Unit } from '../words/numbers.ts';
import { feedbackGoalId } from './feedback-goal.ts';
import { noGoalSums, type VariationCounts } from './report-counts.ts';
import type { ReportGoal, ReportGoalSums, ReportInput, ReportSums } from './report-input.ts';
import { engineOf } from './report-looks.ts';

export type MetricName =
  | 'conversion-rate'
  | 'conversions-per-visitor'
  | 'revenue-per-visitor'
  | 'revenue-per-converted-visitor'
  | 'answer-rate'
  | 'option-share';

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

/** The first one decides. */
function metricNames(goal: ReportGoal): readonly MetricName[] {
  switch (goal.kind) {
    case 'count':
      return ['conversion-rate', 'conversions-per-visitor'];
    case 'revenue':
      return ['revenue-per-visitor', 'conversion-rate', 'revenue-per-converted-visitor'];
    case 'feedback':
      return goal.option === null ? ['answer-rate'] : ['option-share', 'answer-rate'];
  }
}

/** How the values of a metric are written. */
export function unitOf(metric: MetricName): Unit {
  switch (metric) {
    case 'conversions-per-visitor':
      return 'number';
    case 'revenue-per-visitor':
    case 'revenue-per-converted-visitor':
      return 'dollars';
    default:
      return 'rate';
  }
}

/** All metrics of a goal, or only the first one, which decides. */
export function metricsOf(
  goal: ReportGoal,
  counts: readonly VariationCounts[],
  settings: MetricSettings,
  selection: 'all' | 'deciding',
): MetricResult[] {
  const names = metricNames(goal);
  return (selection === 'all' ? names : names.slice(0, 1)).map((metric, index) => ({
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
  const sumsOf = sumsFor(metric === 'answer-rate' ? answersId(goal) : goal.id);
  if (metric === 'revenue-per-converted-visitor') {
    const variations = counts.map((it) => ({ key: it.key, n: it.visitors, ...ratioSums(sumsOf(it)) }));
    return { ...common, metric: 'ratio', nonNegative: isNonNegative(goal), variations };
  }
  const isShare = metric === 'option-share';
  // Few visitors have answered before, and who answers may depend on the variation.
  const hasCovariate = cuped && !isShare;
  const pick =
    metric === 'conversions-per-visitor'
      ? countSums
      : metric === 'revenue-per-visitor'
        ? amountSums
        : rateSums;
  const variations = counts.map((it) => {
    const sums = pick(sumsOf(it));
    const n = isShare ? answeredIn(goal, it) : it.visitors;
    return { key: it.key, n, ...(hasCovariate ? sums : withoutCovariate(sums)) };
  });
  return {
    ...common,
    metric: pick === rateSums ? 'proportion' : 'mean',
    nonNegative: isNonNegative(goal),
    variations,
  };
}

const sumsFor =
  (goalId: string) =>
  ({ goals }: VariationCounts): ReportGoalSums =>
    goals.get(goalId) ?? noGoalSums(goalId);

/** Everyone who answered, with any option. */
const answersId = (goal: ReportGoal) =>
  goal.kind === 'feedback' ? feedbackGoalId(goal.feedbackTypeId) : goal.id;

/** Visitors who answered at all. */
export const answeredIn = (goal: ReportGoal, counts: VariationCounts) =>
  sumsFor(answersId(goal))(counts).converted;

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
