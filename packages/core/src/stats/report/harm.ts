import type { VariationMetricCounts } from '../metrics/metric-counts.ts';
import { metricResults } from '../metrics/metric-results.ts';
import { adjustPValues } from '../multiple-testing.ts';
import { oneSidedPValue } from '../sequential.ts';
import { describeHarm } from '../words/harm-words.ts';
import { DEFAULT_CURRENCY } from '../words/numbers.ts';
import type { ComparisonSettings } from './goal-comparison.ts';
import { improvementOf, isRelative } from './goal-outcome.ts';
import type { HarmedGoal } from './harmed-goal.ts';
import { type HealthProblem, hasEnoughConversions } from './health.ts';
import { type ComparedCounts, comparedCounts, healthProblems, marginOf, settingsFor } from './report.ts';
import { noGoalSums, type VariationCounts } from './report-counts.ts';
import type { ReportGoal, ReportInput } from './report-input.ts';
import { guardrailMethod } from './report-method.ts';
import { type MetricResult, metricsOf, unitOf } from './report-metrics.ts';

/** In at most this share of the tests without any harm, something is stopped, or in `alpha` of them if that is less. */
export const MAX_FALSE_STOPS = 0.05;

/** Visitors cannot be compared; what else makes a test unhealthy does not make harm harmless. */
const BLOCKING: readonly HealthProblem['problem'][] = [
  'sample-ratio-mismatch',
  'mixed-visitors',
  'missing-exposures',
];

export interface ProvenHarm {
  readonly variation: string;
  /** The primary goal first. */
  readonly goals: readonly HarmedGoal[];
  readonly words: string;
}

export interface HarmReport {
  /** One for each variation in the test that does harm. */
  readonly harms: readonly ProvenHarm[];
  /** Why nothing may be stopped although there may be harm. */
  readonly blockedBy: readonly HealthProblem[];
}

/**
 * What a test with `onHarm: stop` has to stop: variations that made the primary goal or a guardrail worse. It may be
 * looked at as often as one likes, whatever the method of the property.
 *
 * @param phase number of the phase; each has a share of the error rate
 */
export function findHarm(input: ReportInput, phase: number): HarmReport {
  const blockedBy = healthProblems(input).filter(({ problem }) => BLOCKING.includes(problem));
  if (blockedBy.length > 0) return { harms: [], blockedBy };
  const compared = comparedCounts(input);
  const settings = settingsFor(input, compared);
  const found = compareAll(input, settings, compared);
  // Those of retired variations count too: that they were looked at cannot be undone.
  const corrected = adjustPValues(
    found.map(({ pValue }) => pValue),
    'holm',
  );
  const level = levelOf(phase, input.statistics.alpha);
  const harmful = found.filter((it, at) => corrected[at]! < level && !it.retired && !isWithinMargin(it.goal));
  const variations = [...new Set(harmful.map(({ variation }) => variation))];
  const currency = input.currency ?? DEFAULT_CURRENCY;
  return {
    blockedBy: [],
    harms: variations.map((variation) => {
      const goals = harmful.filter((it) => it.variation === variation).map(({ goal }) => goal);
      return { variation, goals, words: describeHarm(goals, currency) };
    }),
  };
}

/** The shares of all phases together are one: 1/2, 1/6, 1/12 and so on. */
const levelOf = (phase: number, alpha: number) => Math.min(alpha, MAX_FALSE_STOPS) / (phase * (phase + 1));

interface Compared {
  readonly goal: HarmedGoal;
  readonly variation: string;
  readonly retired: boolean;
  /** That the variation is not worse than the control. */
  readonly pValue: number;
}

function compareAll(
  input: ReportInput,
  { isNonNegative, cuped }: ComparisonSettings,
  { now: counts, metrics }: ComparedCounts,
): Compared[] {
  const method = guardrailMethod(input);
  const settings = { method, cuped, isNonNegative };
  const goals = input.goals.filter(({ role }) => role !== 'secondary');
  return goals.flatMap((goal) => {
    const measured = goal.kind === 'metric' ? metrics.now.get(goal.id)! : undefined;
    const [metric] =
      goal.kind === 'metric'
        ? metricResults(goal, measured!, method, 'deciding')
        : metricsOf(goal, counts, settings, 'deciding');
    // Those of a metric: whose window is over.
    const reached = measured?.map(asConversions) ?? counts.map((own) => conversionsIn(own, goal));
    return counts.slice(1).map(({ key, retired = false }, at) => {
      const outcome = harmedGoal(goal, metric!, at + 1, input);
      const isKnown = hasEnoughConversions(reached[0]!, reached[at + 1]!);
      return {
        goal: outcome,
        variation: key,
        retired,
        pValue: isKnown ? pValueOf(outcome, metric!, at + 1, input) : 1,
      };
    });
  });
}

const harmedGoal = (
  { id, name, role, lowerIsBetter, ...goal }: ReportGoal,
  metric: MetricResult,
  index: number,
  input: ReportInput,
): HarmedGoal => ({
  id,
  name,
  role: role as HarmedGoal['role'],
  lowerIsBetter,
  unit: unitOf(metric),
  control: metric.variations[0]!.mean,
  variation: metric.variations[index]!.mean,
  comparison: metric.variations[index]!,
  maxHarm: marginOf({ role, maxHarm: goal.maxHarm }, input),
});

function pValueOf(goal: HarmedGoal, { variations }: MetricResult, index: number, input: ReportInput): number {
  const { pValue, n } = variations[index]!;
  const isWorse = (improvementOf(goal, 'absolute')?.estimate ?? 0) < 0;
  if (pValue === null || !isWorse) return 1;
  const { alpha, sequentialN } = input.statistics;
  return oneSidedPValue(pValue, variations[0]!.n + n, alpha, sequentialN);
}

/** Of a quantile, all visitors have values: the result is unknown while they are too few. */
const asConversions = ({ visitors, reached }: VariationMetricCounts) => ({ visitors, converted: reached });

const conversionsIn = ({ visitors, goals }: VariationCounts, { id }: ReportGoal) => ({
  visitors,
  converted: (goals.get(id) ?? noGoalSums(id)).converted,
});

/** A small harm may be certain, and still be accepted. */
function isWithinMargin(goal: HarmedGoal): boolean {
  const low = isRelative(goal) ? improvementOf(goal, 'relative')!.low : null;
  return goal.maxHarm !== null && low !== null && low > -goal.maxHarm;
}
