import { DEFAULT_ALPHA } from '../alpha.ts';
import type { MethodSettings } from '../analysis.ts';
import { type Comparison, excludesZero, type Interval, isWithin } from '../comparison.ts';
import { futilityBoundary } from '../group-sequential/futility.ts';
import type { SmallestEffect } from '../planner.ts';
import { DEFAULT_CURRENCY, type Unit } from '../words/numbers.ts';
import { describeVerdict, type VerdictSentences } from '../words/verdict-words.ts';
import { type Forecast, forecastOf, type Traffic } from './forecast.ts';
import type { Collecting, HealthProblem } from './health.ts';

export type Decision = 'ship' | 'roll-back' | 'no-difference' | 'keep-going' | 'collecting' | 'unhealthy';

/** Why the decision was made, where the decision alone does not say it. */
export type Reason =
  | 'primary'
  | 'guardrail'
  | 'within-smallest-effect'
  | 'planned-end'
  | 'futility'
  | 'not-significant'
  | 'before-planned-end';

/** The effect of a variation on one goal. */
export interface GoalOutcome {
  readonly name: string;
  readonly lowerIsBetter?: boolean | undefined;
  readonly unit: Unit;
  /** Means of the control and of the variation. */
  readonly control: number | null;
  readonly variation: number | null;
  readonly comparison: Comparison;
  /** The p-value after `adjustPValues`; default: the p-value of the comparison. */
  readonly adjustedPValue?: number | null | undefined;
}

export interface VerdictInput extends MethodSettings {
  readonly variation: string;
  /** From `checkHealth`; any problem prevents a winner. */
  readonly problems: readonly HealthProblem[];
  /** Progress, if there is too little data for an evaluation. */
  readonly collecting?: (Collecting & { readonly days: number | null }) | null | undefined;
  readonly primary: GoalOutcome;
  /** Goals that must not get worse. */
  readonly guardrails?: readonly GoalOutcome[] | undefined;
  /** Of the primary goal. */
  readonly smallestEffect?: SmallestEffect | null | undefined;
  /** Of this variation and the control. */
  readonly visitors: number;
  /** New `visitors` per day. */
  readonly traffic?: Traffic | undefined;
  /** Planned number of `visitors`. */
  readonly plannedVisitors?: number | undefined;
  /** Number of comparisons that p-values are corrected for; default: 1. */
  readonly comparisons?: number | undefined;
  /** The phase has ended. */
  readonly isOver?: boolean | undefined;
  /** The test has a phase; default: true. */
  readonly hasStarted?: boolean | undefined;
  /** Number of variations, including the control; default: 2. */
  readonly variations?: number | undefined;
  /** Code of the currency that amounts are shown in; default: USD. */
  readonly currency?: string | undefined;
}

export interface Verdict {
  readonly decision: Decision;
  readonly reason: Reason | null;
  readonly variation: string;
  /** For readers without knowledge of statistics: the sentences as one text. */
  readonly words: string;
  readonly sentences: VerdictSentences;
  /** Improvement of the primary goal, in `unit`; null if unknown. */
  readonly improvement: Interval | null;
  readonly unit: SmallestEffect['kind'];
  readonly primary: GoalOutcome;
  readonly guardrails: readonly GoalOutcome[];
  readonly harmedGuardrails: readonly GoalOutcome[];
  readonly problems: readonly HealthProblem[];
  readonly collecting: VerdictInput['collecting'] | null;
  readonly smallestEffect: SmallestEffect | null;
  readonly visitors: number;
  readonly plannedVisitors: number | null;
  /** Likely full days until a decision: the median of the forecast; null if unknown or not in sight. */
  readonly daysLeft: number | null;
  readonly forecast: Forecast | null;
}

/** Decides what to do with one variation. */
export function decideVerdict(input: VerdictInput): Verdict {
  const { variation, primary, problems, visitors, plannedVisitors = null, guardrails = [] } = input;
  const smallestEffect = input.smallestEffect ?? null;
  const harmedGuardrails = guardrails.filter((goal) => directionOf(goal, input) === 'worse');
  const unit = smallestEffect?.kind ?? (isRelative(primary) ? 'relative' : 'absolute');
  // Relative to a negative mean, an increase is negative.
  const isReversed = unit === 'relative' && (primary.control ?? 0) < 0;
  const improvement = orient(primary.comparison[unit], (primary.lowerIsBetter ?? false) !== isReversed);
  const { decision, reason } = decide(input, improvement, harmedGuardrails);
  const forecast = decision === 'keep-going' ? forecastFor(input) : null;
  const collecting = decision === 'collecting' ? input.collecting! : null;
  const facts = {
    ...{ decision, reason, variation, improvement, unit, primary, guardrails, harmedGuardrails, problems },
    ...{ collecting, smallestEffect, visitors, plannedVisitors, forecast },
    daysLeft: collecting?.days ?? forecast?.median ?? null,
  };
  const { isOver = false, hasStarted = true, variations = 2, currency = DEFAULT_CURRENCY } = input;
  const sentences = describeVerdict(facts, { isOver, hasStarted, variations, currency });
  return { ...facts, sentences, words: Object.values(sentences).filter(Boolean).join(' ') };
}

/** The verdict on a whole test: the best variation that can ship, otherwise the next one in `order`. */
export function overallVerdict(verdicts: readonly Verdict[]): Verdict | null {
  const order: readonly Decision[] = [
    'unhealthy',
    'collecting',
    'ship',
    'keep-going',
    'no-difference',
    'roll-back',
  ];
  const gain = ({ improvement }: Verdict) => improvement?.estimate ?? -Infinity;
  const ranked = verdicts.toSorted(
    (a, b) => order.indexOf(a.decision) - order.indexOf(b.decision) || gain(b) - gain(a),
  );
  return ranked[0] ?? null;
}

type Decided = Pick<Verdict, 'decision' | 'reason'>;

function decide(input: VerdictInput, improvement: Interval | null, harmed: readonly GoalOutcome[]): Decided {
  const { problems, primary, smallestEffect } = input;
  if (problems.length > 0) return { decision: 'unhealthy', reason: null };
  // Harm leads to an immediate roll-back, even before a fixed horizon: a false alarm costs little.
  if (harmed.length > 0) return { decision: 'roll-back', reason: 'guardrail' };
  if (input.collecting) return { decision: 'collecting', reason: null };
  const isPlannedEnd = input.plannedVisitors !== undefined && input.visitors >= input.plannedVisitors;
  const isFixed = input.method === 'frequentist' && input.plannedVisitors !== undefined;
  if (isFixed && !isPlannedEnd && !input.isOver) {
    return { decision: 'keep-going', reason: 'before-planned-end' };
  }
  if (smallestEffect != null && isWithin(improvement, Math.abs(smallestEffect.value))) {
    return { decision: 'no-difference', reason: 'within-smallest-effect' };
  }
  const direction = directionOf(primary, input);
  if (direction !== null) {
    return { decision: direction === 'better' ? 'ship' : 'roll-back', reason: 'primary' };
  }
  // An effect that is not significant at the planned end is smaller than the planned one.
  const hasPlan = input.method === 'frequentist' || input.method === 'group-sequential';
  if (hasPlan && isPlannedEnd) return { decision: 'no-difference', reason: 'planned-end' };
  if (!input.isOver && isFutile(input)) return { decision: 'no-difference', reason: 'futility' };
  return { decision: 'keep-going', reason: 'not-significant' };
}

/** Null unless the difference is significant. P-value and interval agree; only the correction can differ. */
function directionOf(
  { comparison, lowerIsBetter, adjustedPValue = comparison.pValue }: GoalOutcome,
  { alpha = DEFAULT_ALPHA }: MethodSettings,
): 'better' | 'worse' | null {
  const interval = orient(comparison.absolute, lowerIsBetter);
  if (interval === null || interval.estimate === 0) return null;
  const isSignificant = adjustedPValue === null ? excludesZero(interval) : adjustedPValue < alpha;
  if (!isSignificant) return null;
  return interval.estimate > 0 ? 'better' : 'worse';
}

/** Percentages of a value that is zero or negative would mislead. */
export const isRelative = ({ comparison, control }: GoalOutcome) =>
  comparison.relative !== null && (control ?? 0) > 0;

/** Negates the interval if lower is better, so that higher is always better. */
function orient(interval: Interval | null, lowerIsBetter = false): Interval | null {
  if (interval === null || !lowerIsBetter) return interval;
  const { estimate, low, high } = interval;
  return { estimate: -estimate, low: high === null ? null : -high, high: low === null ? null : -low };
}

/** The smallest relevant difference, in the unit of the metric. */
function smallestDifference({ smallestEffect, primary }: VerdictInput): number | null {
  if (smallestEffect == null) return null;
  const { kind, value } = smallestEffect;
  const difference = Math.abs(kind === 'absolute' ? value : value * (primary.control ?? 0));
  return difference > 0 ? difference : null;
}

function isFutile(input: VerdictInput): boolean {
  const { method, looks, alpha = DEFAULT_ALPHA, primary } = input;
  const { absolute, standardError } = primary.comparison;
  if (method !== 'group-sequential' || !looks || absolute === null || standardError === null) return false;
  const smallest = smallestDifference(input);
  const fraction = looks.fractions[looks.current]!;
  const drift = smallest === null ? undefined : smallest / (standardError * Math.sqrt(fraction));
  return Math.abs(absolute.estimate) / standardError < futilityBoundary(fraction, alpha, drift);
}

function forecastFor(input: VerdictInput): Forecast | null {
  const { primary, traffic, visitors, plannedVisitors = null, isOver, method } = input;
  const { absolute, standardError } = primary.comparison;
  if (isOver || !traffic || absolute === null || standardError === null) return null;
  const { alpha = DEFAULT_ALPHA, comparisons = 1 } = input;
  const hasPlan = method === 'frequentist' || method === 'group-sequential';
  return forecastOf({
    ...input,
    // The correction for several comparisons requires smaller p-values.
    alpha: alpha / comparisons,
    difference: absolute.estimate,
    standardError,
    controlMean: primary.control ?? 0,
    visitors,
    traffic,
    plannedVisitors: hasPlan ? plannedVisitors : null,
    smallestDifference: smallestDifference(input),
  });
}
