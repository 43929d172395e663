import type { VariationResult } from '../analysis.ts';
import { adjustPValues } from '../multiple-testing.ts';
import type { VariationCounts } from './report-counts.ts';
import type { ReportGoal, ReportInput } from './report-input.ts';
import { type MetricResult, metricsOf } from './report-metrics.ts';

interface AdjustedResult extends VariationResult {
  /** The p-value after the correction for multiple comparisons; null if there is none. */
  readonly adjustedPValue: number | null;
}

export interface GoalComparison {
  readonly goal: ReportGoal;
  readonly metrics: readonly (Omit<MetricResult, 'variations'> & {
    readonly variations: readonly AdjustedResult[];
  })[];
}

/** Compares every variation with the control, by goal; with all metrics or only the deciding one. */
export function compareGoals(
  input: Pick<ReportInput, 'goals' | 'statistics'>,
  counts: readonly VariationCounts[],
  selection: 'all' | 'deciding',
): GoalComparison[] {
  return withAdjustedPValues(
    input.goals.map((goal) => ({ goal, metrics: metricsOf(goal, counts, input, selection) })),
    input,
  );
}

/** Corrects the deciding metrics over all goals and variations; explanatory metrics are not corrected. */
function withAdjustedPValues(
  goals: readonly { goal: ReportGoal; metrics: readonly MetricResult[] }[],
  { statistics }: Pick<ReportInput, 'statistics'>,
): GoalComparison[] {
  const deciding = goals.flatMap(({ metrics }) => metrics.filter(({ decides }) => decides));
  const pValues = deciding.flatMap(({ variations }) => variations.map(({ pValue }) => pValue));
  const corrected = adjustPValues(pValues, statistics.correction);
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
