import { type Analysis, analyse, armsOf, type MethodSettings, type VariationResult } from '../analysis.ts';
import type { Arm } from '../arm.ts';
import type { EffectOptions } from '../effect.ts';
import type { MeasureName, MetricFormat } from '../metrics/metric-measures.ts';
import type { CovariateSums, VariationSums } from '../sums.ts';
import type { Unit } from '../words/numbers.ts';
import { feedbackGoalId } from './feedback-goal.ts';
import { noGoalSums, type VariationCounts, type VisitorCounts } from './report-counts.ts';
import type { CountedGoal, ReportGoalSums, ReportSums, VisitorsBefore } from './report-input.ts';
import { comparedStrata } from './report-strata.ts';

type GoalMetricName =
  | 'conversion-rate'
  | 'conversions-per-visitor'
  | 'revenue-per-visitor'
  | 'revenue-per-converted-visitor'
  | 'answer-rate'
  | 'option-share';

export type MetricName = GoalMetricName | MeasureName;

export interface MetricResult {
  readonly metric: MetricName;
  /** Only of goals of the kind `metric`: how its values are written, and the step of a funnel, from 1 on. */
  readonly format?: MetricFormat;
  readonly step?: number;
  /** Whether the verdict on the goal is based on this metric; the others are explanatory. */
  readonly decides: boolean;
  readonly variations: readonly VariationResult[];
}

/** How the metrics of all goals are compared. */
export interface MetricSettings {
  readonly method: MethodSettings;
  readonly cuped: boolean;
  /** Whether no visitor's value of the goal is negative. */
  readonly isNonNegative: (goal: CountedGoal) => boolean;
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
function metricNames(goal: CountedGoal): readonly GoalMetricName[] {
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
export function unitOf({ metric, format }: Pick<MetricResult, 'metric' | 'format'>): Unit {
  if (format !== undefined) return UNITS[format];
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

const UNITS: Readonly<Record<MetricFormat, Unit>> = {
  number: 'number',
  money: 'dollars',
  seconds: 'seconds',
  percent: 'rate',
};

/** All metrics of a goal, or only the first one, which decides. */
export function metricsOf(
  goal: CountedGoal,
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

/** What the deciding metric of a goal compares. */
export function decidingArms(
  goal: CountedGoal,
  counts: readonly VariationCounts[],
  settings: MetricSettings,
): EffectOptions & { readonly arms: readonly Arm[] } {
  const analysis = analysisOf(metricNames(goal)[0]!, goal, counts, settings);
  return { metric: analysis.metric, nonNegative: analysis.nonNegative, arms: armsOf(analysis) };
}

function analysisOf(
  metric: GoalMetricName,
  goal: CountedGoal,
  counts: readonly VariationCounts[],
  { cuped, method, isNonNegative }: MetricSettings,
): Analysis {
  const common = { ...method, control: counts[0]!.key, nonNegative: isNonNegative(goal) };
  const sumsOf = sumsFor(metric === 'answer-rate' ? answersId(goal) : goal.id);
  if (metric === 'revenue-per-converted-visitor') {
    const variations = counts.map((it) => ({ key: it.key, n: it.visitors, ...ratioSums(sumsOf(it)) }));
    return { ...common, metric: 'ratio', variations };
  }
  const isShare = metric === 'option-share';
  // Few visitors have answered before, and who answers may depend on the variation.
  const hasCovariates = cuped && !isShare;
  const pick =
    metric === 'conversions-per-visitor'
      ? countSums
      : metric === 'revenue-per-visitor'
        ? amountSums
        : rateSums;
  const read = (it: VisitorCounts): VariationSums & { key: string } => {
    const sums = pick(sumsOf(it));
    return {
      key: it.key,
      n: isShare ? answeredIn(goal, it) : it.visitors,
      sum: sums.sum,
      sumSquares: sums.sumSquares,
      ...(hasCovariates && { covariates: covariatesOf(sums, it.before) }),
    };
  };
  return {
    ...common,
    metric: pick === rateSums ? 'proportion' : 'mean',
    variations: counts.map(read),
    strata: comparedStrata(counts).map((stratum) => stratum.map(read)),
  };
}

const sumsFor =
  (goalId: string) =>
  ({ goals }: VisitorCounts): ReportGoalSums =>
    goals.get(goalId) ?? noGoalSums(goalId);

/** Everyone who answered, with any option. */
const answersId = (goal: CountedGoal) =>
  goal.kind === 'feedback' ? feedbackGoalId(goal.feedbackTypeId) : goal.id;

/** Visitors who answered at all. */
export const answeredIn = (goal: CountedGoal, counts: VisitorCounts) =>
  sumsFor(answersId(goal))(counts).converted;

const countSums = ({ conversions }: ReportGoalSums): ReportSums => conversions;
const amountSums = ({ amount }: ReportGoalSums): ReportSums => amount;

/** 1 for each converted visitor, no matter how many conversions. */
function rateSums(sums: ReportGoalSums): ReportSums {
  return {
    ...sums.conversions,
    sum: sums.converted,
    sumSquares: sums.converted,
    covariateProduct: sums.convertedCovariate,
    knownSum: sums.convertedKnown ?? 0,
    sessionsProduct: sums.convertedSessions ?? 0,
    revenueProduct: sums.convertedRevenue ?? 0,
  };
}

/** The same value before the test, whether the visitor was known, and the visitor's sessions and revenue. */
function covariatesOf(sums: ReportSums, before: VisitorsBefore): CovariateSums {
  const { covariateKnown = 0, covariateSessions = 0, covariateRevenue = 0 } = sums;
  const { known, sessions, revenue, knownRevenue, product } = before;
  return {
    sums: [sums.covariateSum, known, sessions, revenue],
    products: [
      [sums.covariateSumSquares, covariateKnown, covariateSessions, covariateRevenue],
      [covariateKnown, known, sessions, knownRevenue],
      [covariateSessions, sessions, before.sessionsSquares, product],
      [covariateRevenue, knownRevenue, product, before.revenueSquares],
    ],
    shared: [sums.covariateProduct, sums.knownSum ?? 0, sums.sessionsProduct ?? 0, sums.revenueProduct ?? 0],
  };
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
