import { type Analysis, analyse, type MethodSettings, type VariationResult } from '../analysis.ts';
import { noGoalSums, type VariationCounts } from './report-counts.ts';
import type { ReportGoal, ReportGoalSums, ReportInput, ReportSums } from './report-input.ts';

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
export function methodOf({ statistics }: Pick<ReportInput, 'statistics'>): MethodSettings {
  const { engine, alpha, sequentialN, prior } = statistics;
  return {
    method: engine,
    alpha,
    sequentialN,
    ...(prior === null ? {} : { prior: { proper: true, ...prior } }),
  };
}

const METRICS: Record<ReportGoal['kind'], readonly MetricName[]> = {
  count: ['conversion-rate', 'conversions-per-visitor'],
  revenue: ['revenue-per-visitor', 'conversion-rate', 'revenue-per-converted-visitor'],
};

/** All metrics of a goal, or only the first one, which decides. */
export function metricsOf(
  goal: ReportGoal,
  counts: readonly VariationCounts[],
  input: Pick<ReportInput, 'statistics'>,
  selection: 'all' | 'deciding',
): MetricResult[] {
  const names = selection === 'all' ? METRICS[goal.kind] : METRICS[goal.kind].slice(0, 1);
  return names.map((metric, index) => ({
    metric,
    decides: index === 0,
    variations: analyse(analysisOf(metric, goal, counts, input)).variations,
  }));
}

function analysisOf(
  metric: MetricName,
  goal: ReportGoal,
  counts: readonly VariationCounts[],
  input: Pick<ReportInput, 'statistics'>,
): Analysis {
  const { cuped } = input.statistics;
  const common = { ...methodOf(input), control: counts[0]!.key };
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
  return { ...common, metric: metric === 'conversion-rate' ? 'proportion' : 'mean', variations };
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
