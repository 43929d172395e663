import { type Arm, meanArm, proportionArm, ratioArm } from '../arm.ts';
import { cupedArm, cupedTheta } from '../cuped.ts';
import { adjustPValues } from '../multiple-testing.ts';
import { noGoalSums, type VariationCounts } from '../report/report-counts.ts';
import type { ReportGoal, ReportGoalSums, ReportInput, ReportSums } from '../report/report-input.ts';
import type { Metric } from '../sums.ts';
import { type Comparison, compareArms, NO_COMPARISON } from './methods.ts';

interface VariationResult extends Comparison {
  readonly key: string;
  readonly n: number;
  readonly mean: number | null;
  readonly adjustedPValue: number | null;
}

export interface GoalComparison {
  readonly goal: ReportGoal;
  readonly metrics: readonly {
    readonly metric: string;
    readonly decides: boolean;
    readonly variations: readonly VariationResult[];
  }[];
}

interface NamedMetric {
  readonly name: string;
  readonly metric: Metric;
  readonly sums: (sums: ReportGoalSums) => ReportSums;
}

/** 1 for each converted visitor, no matter how many conversions. */
const RATE: NamedMetric = {
  name: 'conversion-rate',
  metric: 'proportion',
  sums: ({ converted, conversions: { covariateSum, covariateSumSquares }, convertedCovariate }) => ({
    ...{ sum: converted, sumSquares: converted },
    ...{ covariateSum, covariateSumSquares, covariateProduct: convertedCovariate },
  }),
};
const CONVERSIONS: NamedMetric = {
  name: 'conversions-per-visitor',
  metric: 'mean',
  sums: ({ conversions }) => conversions,
};
const REVENUE: NamedMetric = { name: 'revenue-per-visitor', metric: 'mean', sums: ({ amount }) => amount };
const REVENUE_PER_CONVERTED: NamedMetric = {
  name: 'revenue-per-converted-visitor',
  metric: 'ratio',
  sums: ({ amount }) => amount,
};

/** The first one decides. */
const METRICS = { count: [RATE, CONVERSIONS], revenue: [REVENUE, RATE, REVENUE_PER_CONVERTED] };

/** Compares every variation with the control, by goal; corrects the p-values of all deciding metrics together. */
export function compareGoals(input: ReportInput, counts: readonly VariationCounts[]): GoalComparison[] {
  const goals = input.goals.map((goal) => ({
    goal,
    metrics: METRICS[goal.kind as keyof typeof METRICS].map((metric, index) => ({
      metric: metric.name,
      decides: index === 0,
      variations: compareVariations(metric, goal, counts, input),
    })),
  }));
  const pValues = goals.flatMap(({ metrics }) => metrics[0]!.variations.map(({ pValue }) => pValue));
  const corrected = adjustPValues(pValues, input.statistics.correction);
  let next = 0;
  return goals.map(({ goal, metrics }) => ({
    goal,
    metrics: metrics.map((metric) => ({
      ...metric,
      variations: metric.variations.map((result) => ({
        ...result,
        adjustedPValue: metric.decides ? corrected[next++]! : result.pValue,
      })),
    })),
  }));
}

function compareVariations(
  metric: NamedMetric,
  goal: ReportGoal,
  counts: readonly VariationCounts[],
  { statistics }: ReportInput,
) {
  const arms = armsOf(metric, goal, counts, statistics.cuped);
  return counts.map(({ key, visitors }, index) => ({
    key,
    n: visitors,
    mean: arms[index]!.mean,
    ...(index === 0 ? NO_COMPARISON : compareArms(metric.metric, arms[0]!, arms[index]!, statistics)),
  }));
}

function armsOf(
  { metric, sums }: NamedMetric,
  goal: ReportGoal,
  counts: readonly VariationCounts[],
  cuped: boolean,
): Arm[] {
  const goalSums = counts.map(({ visitors, goals }) => ({
    n: visitors,
    of: goals.get(goal.id) ?? noGoalSums(goal.id),
  }));
  if (metric === 'ratio') {
    // The numerator includes refunds of visitors who did not convert; the denominator is converted visitors.
    return goalSums.map(({ n, of: { converted, amount, convertedAmount } }) =>
      ratioArm({
        ...{ n, sum: amount.sum, sumSquares: amount.sumSquares },
        ...{ denominatorSum: converted, denominatorSumSquares: converted, product: convertedAmount },
      }),
    );
  }
  const variations = goalSums.map(({ n, of }) => ({ n, ...sums(of) }));
  if (!cuped) return variations.map(metric === 'mean' ? meanArm : proportionArm);
  const theta = cupedTheta(variations);
  return variations.map((it) => cupedArm(metric, it, theta));
}
