import { DEFAULT_ALPHA, type MethodSettings } from '../analysis.ts';
import { type Comparison, type Interval, isWithin } from '../comparison.ts';
import type { SmallestEffect } from '../planner.ts';
import { DEFAULT_SEQUENTIAL_N, sequentialCritical } from '../sequential.ts';
import type { HealthProblem } from './health.ts';
import { describeVerdict } from './verdict-words.ts';

export type Decision = 'ship' | 'roll-back' | 'no-difference' | 'keep-going' | 'unhealthy';

/** What a variation did to one goal. */
export interface GoalOutcome {
  readonly name: string;
  readonly lowerIsBetter?: boolean | undefined;
  readonly comparison: Comparison;
  /** The p-value after `adjustPValues`, when there were several; the comparison's own otherwise. */
  readonly adjustedPValue?: number | null | undefined;
}

export interface VerdictInput extends MethodSettings {
  readonly variation: string;
  /** From `checkHealth`; any of them forbids a winner. */
  readonly problems: readonly HealthProblem[];
  readonly primary: GoalOutcome;
  /** Goals that must not get worse. */
  readonly guardrails?: readonly GoalOutcome[] | undefined;
  /** On the primary goal. */
  readonly smallestEffect?: SmallestEffect | null | undefined;
  /** Of this variation and the control. */
  readonly visitors: number;
  /** The same per day, at the present traffic. */
  readonly dailyVisitors?: number | undefined;
  /** Of this variation and the control, as planned; the frequentist method judges the primary goal only then. */
  readonly plannedVisitors?: number | undefined;
  /** Nobody takes part any more. */
  readonly isOver?: boolean | undefined;
}

export interface Verdict {
  readonly decision: Decision;
  readonly variation: string;
  /** For people who know their product, not statistics. */
  readonly words: string;
  /** Change of the primary goal for the better, in `unit`; null when it is not known. */
  readonly improvement: Interval | null;
  readonly unit: SmallestEffect['kind'];
  readonly primary: GoalOutcome;
  readonly harmedGuardrails: readonly GoalOutcome[];
  readonly problems: readonly HealthProblem[];
  readonly smallestEffect: SmallestEffect | null;
  readonly visitors: number;
  readonly plannedVisitors: number | null;
  /** Full days at the present traffic until there is a verdict, if the difference stays as it is; null when unknown. */
  readonly daysLeft: number | null;
}

/** Says what to do about one variation, and why. */
export function decideVerdict(input: VerdictInput): Verdict {
  const { variation, primary, problems, visitors, plannedVisitors = null } = input;
  const smallestEffect = input.smallestEffect ?? null;
  const harmedGuardrails = (input.guardrails ?? []).filter((goal) => directionOf(goal, input) === 'worse');
  const unit = smallestEffect?.kind ?? (primary.comparison.relative === null ? 'absolute' : 'relative');
  const improvement = orient(primary.comparison[unit], primary.lowerIsBetter);
  const decision = decide(input, improvement, harmedGuardrails);
  const facts = {
    decision,
    variation,
    improvement,
    unit,
    primary,
    harmedGuardrails,
    problems,
    smallestEffect,
    visitors,
    plannedVisitors,
    daysLeft: decision === 'keep-going' ? daysLeft(input, improvement) : null,
  };
  const circumstances = { horizon: horizonOf(input), isOver: input.isOver ?? false };
  return { ...facts, words: describeVerdict(facts, circumstances) };
}

/** The verdict on a whole test: the best variation that may ship, or else what is still open. */
export function overallVerdict(verdicts: readonly Verdict[]): Verdict | null {
  const order: readonly Decision[] = ['unhealthy', 'ship', 'keep-going', 'no-difference', 'roll-back'];
  const gain = ({ improvement }: Verdict) => improvement?.estimate ?? -Infinity;
  const ranked = verdicts.toSorted(
    (a, b) => order.indexOf(a.decision) - order.indexOf(b.decision) || gain(b) - gain(a),
  );
  return ranked[0] ?? null;
}

function decide(input: VerdictInput, improvement: Interval | null, harmed: readonly GoalOutcome[]): Decision {
  const { problems, primary, visitors, smallestEffect } = input;
  if (problems.length > 0) return 'unhealthy';
  // Harm is acted upon at once, also before a fixed horizon: a false alarm costs little here.
  if (harmed.length > 0) return 'roll-back';
  const horizon = horizonOf(input);
  if (horizon !== undefined && visitors < horizon) return 'keep-going';
  if (smallestEffect != null && isWithin(improvement, Math.abs(smallestEffect.value))) return 'no-difference';
  const direction = directionOf(primary, input);
  if (direction !== null) return direction === 'better' ? 'ship' : 'roll-back';
  // A fixed horizon is looked at once: what it did not find then, it was not planned to find.
  return horizon === undefined ? 'keep-going' : 'no-difference';
}

/** Visitors at which the primary goal is judged, once; undefined where it may be judged at any time. */
const horizonOf = ({ method, plannedVisitors }: VerdictInput) =>
  method === 'frequentist' ? plannedVisitors : undefined;

/** Null unless chance alone does not explain the difference: the p-value and the interval must both say so. */
function directionOf(
  { comparison, lowerIsBetter, adjustedPValue = comparison.pValue }: GoalOutcome,
  { alpha = DEFAULT_ALPHA }: MethodSettings,
): 'better' | 'worse' | null {
  const interval = orient(comparison.absolute, lowerIsBetter);
  if (interval === null || interval.estimate === 0) return null;
  const known = interval.low !== null && interval.high !== null;
  if (!known && adjustedPValue === null) return null;
  if (adjustedPValue !== null && adjustedPValue >= alpha) return null;
  if (known && interval.low <= 0 && interval.high >= 0) return null;
  return interval.estimate > 0 ? 'better' : 'worse';
}

/** Turned so that higher is better. */
function orient(interval: Interval | null, lowerIsBetter = false): Interval | null {
  if (interval === null || !lowerIsBetter) return interval;
  const { estimate, low, high } = interval;
  return { estimate: -estimate, low: high === null ? null : -high, high: low === null ? null : -low };
}

function daysLeft(input: VerdictInput, improvement: Interval | null): number | null {
  const { visitors, dailyVisitors = 0 } = input;
  if (!(dailyVisitors > 0)) return null;
  const wanted = horizonOf(input) ?? visitorsUntilClear(input, improvement);
  return wanted === null ? null : Math.max(1, Math.ceil((wanted - visitors) / dailyVisitors));
}

/** Visitors at which the intervals, shrinking around the present estimate, leave zero or the smallest effect out. */
function visitorsUntilClear(input: VerdictInput, improvement: Interval | null): number | null {
  const { absolute } = input.primary.comparison;
  const untilSure = widthOf(absolute) / Math.abs(absolute?.estimate ?? 0);
  const smallest = Math.abs(input.smallestEffect?.value ?? 0);
  const room = smallest - Math.abs(improvement?.estimate ?? Infinity);
  const untilWithin = room > 0 ? widthOf(improvement) / room : Infinity;
  const shrinking = Math.min(untilSure, untilWithin);
  if (!(shrinking < Infinity)) return null;
  const { method, visitors, alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N } = input;
  let needed = visitors * shrinking ** 2;
  if (method !== 'sequential') return needed;
  const present = sequentialCritical(visitors, alpha, sequentialN);
  // The sequence gives way a little more slowly than the root of the visitors.
  for (let step = 0; step < 50; step++) {
    needed = visitors * (shrinking * (sequentialCritical(needed, alpha, sequentialN) / present)) ** 2;
  }
  return needed;
}

/** Half of it; infinite when the spread is not known. */
function widthOf(interval: Interval | null): number {
  if (interval === null || interval.low === null || interval.high === null) return Infinity;
  return (interval.high - interval.low) / 2;
}
