import type { MethodSettings, VariationResult } from '../analysis.ts';
import { completeVisitors, type MetricCountsByGoal } from '../metrics/metric-counts.ts';
import { metricResults } from '../metrics/metric-results.ts';
import { adjustPValues } from '../multiple-testing.ts';
import { totalVisitors, type VariationCounts } from './report-counts.ts';
import type { GoalRole, ReportGoal, ReportInput } from './report-input.ts';
import { guardrailMethod, methodOf } from './report-method.ts';
import { type MetricResult, type MetricSettings, metricsOf, nonNegativeGoals } from './report-metrics.ts';

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
export interface ComparisonSettings
  extends Pick<ReportInput, 'goals' | 'statistics' | 'plannedVisitors' | 'learnedPrior'> {
  /** Visitors of the whole test, for methods with a plan. */
  readonly visitors: number;
  readonly isNonNegative: MetricSettings['isNonNegative'];
  /** Whether covariates are used. */
  readonly cuped: boolean;
}

/** @param counts of all visitors of the test */
export function comparisonSettings(
  input: ReportInput,
  counts: readonly VariationCounts[],
  cuped: boolean,
): ComparisonSettings {
  return {
    goals: input.goals,
    statistics: input.statistics,
    plannedVisitors: input.plannedVisitors,
    ...(input.learnedPrior && { learnedPrior: input.learnedPrior }),
    visitors: totalVisitors(counts),
    isNonNegative: nonNegativeGoals(counts),
    cuped,
  };
}

/**
 * Compares every variation with the control, by goal.
 *
 * @param selection all metrics, or only the deciding one
 * @param which default: all goals
 * @param metrics what was counted of metrics; without it they are left out, as in segments and on single days
 */
export function compareGoals(
  settings: ComparisonSettings,
  counts: readonly VariationCounts[],
  selection: 'all' | 'deciding',
  which: 'all' | 'guardrails' | 'others' = 'all',
  metrics?: MetricCountsByGoal,
): GoalComparison[] {
  const { statistics, isNonNegative, cuped } = settings;
  const goals = settings.goals.filter(
    ({ role, kind }) =>
      (which === 'all' || (role === 'guardrail') === (which === 'guardrails')) &&
      (kind !== 'metric' || metrics !== undefined),
  );
  const guarded = guardrailMethod(settings);
  const methodFor = ({ role }: ReportGoal, visitors: number): MethodSettings =>
    role === 'guardrail' ? guarded : methodOf(settings, visitors);
  const compared = goals.map((goal) => {
    if (goal.kind === 'metric') {
      const own = metrics!.get(goal.id)!;
      // Its information is that of the visitors whose window is over.
      const method = methodFor(goal, completeVisitors(own));
      return { goal, metrics: metricResults(goal, own, method, selection) };
    }
    const method = methodFor(goal, settings.visitors);
    return { goal, metrics: metricsOf(goal, counts, { method, cuped, isNonNegative }, selection) };
  });
  const families = new Map(
    FAMILIES.map((role) => [
      role,
      adjustedIn(
        compared.filter(({ goal }) => goal.role === role),
        statistics,
      ),
    ]),
  );
  return goals.map((goal) => families.get(goal.role)!.find((it) => it.goal === goal)!);
}

/**
 * Each role is a family of its own: the decision is about the primary goal, so that secondary goals do not make it
 * harder to find, and the plan needs to consider the variations only.
 */
const FAMILIES: readonly GoalRole[] = ['primary', 'secondary', 'guardrail'];

interface ComparedGoal {
  readonly goal: ReportGoal;
  readonly metrics: readonly MetricResult[];
}

/** Corrects the deciding metrics over the goals of a family and all variations; explanatory metrics are not corrected. */
function adjustedIn(
  family: readonly ComparedGoal[],
  { correction }: ReportInput['statistics'],
): GoalComparison[] {
  const deciding = family.flatMap(({ metrics }) => metrics.filter(({ decides }) => decides));
  // A goal that nobody has reached is not compared, and must not make the others harder to find.
  const pValues = deciding.flatMap(({ variations }) =>
    variations.map(({ pValue, standardError, absolute }) =>
      standardError === null && absolute?.estimate === 0 ? null : pValue,
    ),
  );
  const corrected = adjustPValues(pValues, correction);
  let next = 0;
  return family.map(({ goal, metrics }) => ({
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
