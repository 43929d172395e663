import type { VariationResult } from '../analysis.ts';
import type { Looks } from '../group-sequential/compare.ts';
import { adjustPValues } from '../multiple-testing.ts';
import { totalVisitors, type VariationCounts } from './report-counts.ts';
import type { ReportGoal, ReportInput } from './report-input.ts';
import { type DatedLooks, looksOf } from './report-looks.ts';
import {
  type MetricResult,
  type MetricSettings,
  methodOf,
  metricsOf,
  nonNegativeGoals,
} from './report-metrics.ts';

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

/** How the goals of a test are compared; the same for the whole test, its segments and its days. */
export interface ComparisonSettings extends Pick<ReportInput, 'goals' | 'statistics' | 'plannedVisitors'> {
  /** For the group-sequential method. */
  readonly looks: DatedLooks;
  readonly isNonNegative: MetricSettings['isNonNegative'];
}

/** @param counts of all visitors of the test */
export function comparisonSettings(
  input: ReportInput,
  counts: readonly VariationCounts[],
): ComparisonSettings {
  const { goals, statistics, plannedVisitors } = input;
  const looks = looksOf(input, totalVisitors(counts));
  return { goals, statistics, plannedVisitors, looks, isNonNegative: nonNegativeGoals(counts) };
}

/**
 * Compares every variation with the control, by goal; with all metrics or only the deciding one.
 *
 * @param looks default: all looks at the test
 */
export function compareGoals(
  settings: ComparisonSettings,
  counts: readonly VariationCounts[],
  selection: 'all' | 'deciding',
  looks: Looks = settings.looks,
): GoalComparison[] {
  const { goals, statistics, isNonNegative } = settings;
  const metricSettings = { method: methodOf(settings, looks), cuped: statistics.cuped, isNonNegative };
  return withAdjustedPValues(
    goals.map((goal) => ({ goal, metrics: metricsOf(goal, counts, metricSettings, selection) })),
    settings,
  );
}

/** Corrects the deciding metrics over all goals and variations; explanatory metrics are not corrected. */
function withAdjustedPValues(
  goals: readonly { goal: ReportGoal; metrics: readonly MetricResult[] }[],
  { statistics }: Pick<ReportInput, 'statistics'>,
): GoalComparison[] {
  const deciding = goals.flatMap(({ metrics }) => metrics.filter(({ decides }) => decides));
  // A goal that nobody has reached is not compared, and must not make the others harder to find.
  const pValues = deciding.flatMap(({ variations }) =>
    variations.map(({ pValue, standardError, absolute }) =>
      standardError === null && absolute?.estimate === 0 ? null : pValue,
    ),
  );
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
