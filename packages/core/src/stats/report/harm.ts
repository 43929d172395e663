import type { Arm } from '../arm.ts';
import type { EffectOptions } from '../effect.ts';
import type { VariationMetricCounts } from '../metrics/metric-counts.ts';
import { measuresOf } from '../metrics/metric-measures.ts';
import { metricResults } from '../metrics/metric-results.ts';
import { adjustPValues } from '../multiple-testing.ts';
import { NO_EFFECT_YET, type PhaseEffect, phaseEffect } from '../rollout/phase-effect.ts';
import { oneSidedPValue } from '../sequential.ts';
import { describeHarm } from '../words/harm-words.ts';
import { DEFAULT_CURRENCY } from '../words/numbers.ts';
import { improvementOf, isRelative } from './goal-outcome.ts';
import type { HarmedGoal } from './harmed-goal.ts';
import { type HealthProblem, hasEnoughConversions } from './health.ts';
import { type ComparedCounts, comparedCounts, healthProblems, marginOf, settingsFor } from './report.ts';
import { noGoalSums, type VariationCounts } from './report-counts.ts';
import type { CountedGoal, MetricGoal, ReportGoal, ReportInput } from './report-input.ts';
import { guardrailMethod } from './report-method.ts';
import { decidingArms, type MetricResult, metricsOf, unitOf } from './report-metrics.ts';

/** In at most this share of the tests without any harm, something is stopped, or in `alpha` of them if that is less. */
export const MAX_FALSE_STOPS = 0.05;

/** Visitors cannot be compared; what else makes a test unhealthy does not make harm harmless. */
function isBlocking(problem: HealthProblem): boolean {
  switch (problem.problem) {
    case 'sample-ratio-mismatch':
    case 'mixed-visitors':
      return true;
    case 'missing-exposures':
      // Days on which nobody was exposed, such as weekends, are missing in all variations alike.
      return problem.variations.length > 0;
    default:
      return false;
  }
}

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
  const blockedBy = blockingProblems(input);
  if (blockedBy.length > 0) return { harms: [], blockedBy };
  const found = compareAll(input);
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

export interface Compared {
  /** Not yet known to be harmed. */
  readonly goal: HarmedGoal;
  readonly variation: string;
  readonly retired: boolean;
  /** That the variation is not worse than the control. */
  readonly pValue: number;
  readonly effect: PhaseEffect;
}

/** Why visitors cannot be compared. */
export const blockingProblems = (input: ReportInput): HealthProblem[] =>
  healthProblems(input).filter(isBlocking);

/** Every variation with the control, by the primary goal and all guardrails. */
export function compareAll(input: ReportInput): Compared[] {
  const counts = comparedCounts(input);
  const goals = input.goals.filter(({ role }) => role !== 'secondary');
  return goals.flatMap((goal) => {
    const usual = groupsOf(goal, input, counts);
    const reached = counts.now.slice(1).map((_, at) => usual.reached[at + 1]!.converted);
    // Without a single buyer there is no spread of revenue: then the share of buyers says that it got worse.
    const bare =
      goal.kind === 'revenue' && reached.includes(0) ? groupsOf(asCount(goal), input, counts) : usual;
    return counts.now.slice(1).map(({ key, retired = false }, at) => {
      const { metric, reached: own, arms, options } = reached[at] === 0 ? bare : usual;
      const outcome = harmedGoal(goal, metric, at + 1, input);
      const isKnown = hasEnoughConversions(own[0]!, own[at + 1]!);
      const { lowerIsBetter } = goal;
      return {
        goal: outcome,
        variation: key,
        retired,
        pValue: isKnown ? pValueOf(outcome, metric, at + 1, input) : 1,
        effect: isKnown ? phaseEffect(arms[0]!, arms[at + 1]!, { ...options, lowerIsBetter }) : NO_EFFECT_YET,
      };
    });
  });
}

const asCount = (goal: ReportGoal): ReportGoal => ({ ...goal, kind: 'count' }) as CountedGoal;

/** What the variations are compared by, in their order. */
interface ComparedGroups {
  readonly metric: MetricResult;
  readonly reached: readonly { readonly visitors: number; readonly converted: number }[];
  readonly arms: readonly Arm[];
  readonly options: EffectOptions;
}

function groupsOf(goal: ReportGoal, input: ReportInput, compared: ComparedCounts): ComparedGroups {
  const { isNonNegative, cuped } = settingsFor(input, compared);
  const { now, metrics } = compared;
  const method = guardrailMethod(input);
  if (goal.kind === 'metric') {
    const measured = metrics.now.get(goal.id)!;
    const [metric] = metricResults(goal, measured, method, 'deciding');
    const { arms, ...options } = armsOfMetric(goal, measured);
    // Those whose window is over.
    return { metric: metric!, reached: measured.map(asConversions), arms, options };
  }
  const settings = { method, cuped, isNonNegative };
  const [metric] = metricsOf(goal, now, settings, 'deciding');
  const { arms, ...options } = decidingArms(goal, now, settings);
  return { metric: metric!, reached: now.map((own) => conversionsIn(own, goal)), arms, options };
}

function armsOfMetric({ definition }: MetricGoal, measured: readonly VariationMetricCounts[]) {
  const { metric, nonNegative, armsOf } = measuresOf(definition)[0];
  return { metric, nonNegative, arms: armsOf(measured) };
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
