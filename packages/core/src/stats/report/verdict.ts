import { DEFAULT_ALPHA, type MethodSettings } from '../analysis.ts';
import { type Comparison, type Interval, isWithin } from '../comparison.ts';
import type { SmallestEffect } from '../planner.ts';
import { DEFAULT_SEQUENTIAL_N, sequentialCritical } from '../sequential.ts';
import type { HealthProblem } from './health.ts';
import { describeVerdict } from './verdict-words.ts';

export type Decision = 'ship' | 'roll-back' | 'no-difference' | 'keep-going' | 'unhealthy';

/** The effect of a variation on one goal. */
export interface GoalOutcome {
  readonly name: string;
  readonly lowerIsBetter?: boolean | undefined;
  readonly comparison: Comparison;
  /** The p-value after `adjustPValues`; default: the p-value of the comparison. */
  readonly adjustedPValue?: number | null | undefined;
}

export interface VerdictInput extends MethodSettings {
  readonly variation: string;
  /** From `checkHealth`; any problem prevents a winner. */
  readonly problems: readonly HealthProblem[];
  readonly primary: GoalOutcome;
  /** Goals that must not get worse. */
  readonly guardrails?: readonly GoalOutcome[] | undefined;
  /** Of the primary goal. */
  readonly smallestEffect?: SmallestEffect | null | undefined;
  /** Of this variation and the control. */
  readonly visitors: number;
  /** `visitors` per day at the current traffic. */
  readonly dailyVisitors?: number | undefined;
  /** Planned number of `visitors`; the frequentist method evaluates the primary goal only once it is reached. */
  readonly plannedVisitors?: number | undefined;
  /** The phase has ended. */
  readonly isOver?: boolean | undefined;
}

export interface Verdict {
  readonly decision: Decision;
  readonly variation: string;
  /** For readers without knowledge of statistics. */
  readonly words: string;
  /** Improvement of the primary goal, in `unit`; null if unknown. */
  readonly improvement: Interval | null;
  readonly unit: SmallestEffect['kind'];
  readonly primary: GoalOutcome;
  readonly harmedGuardrails: readonly GoalOutcome[];
  readonly problems: readonly HealthProblem[];
  readonly smallestEffect: SmallestEffect | null;
  readonly visitors: number;
  readonly plannedVisitors: number | null;
  /** Full days until a verdict at the current traffic, if the difference does not change; null if unknown. */
  readonly daysLeft: number | null;
}

/** Decides what to do with one variation. */
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
  const context = { horizon: horizonOf(input), isOver: input.isOver ?? false };
  return { ...facts, words: describeVerdict(facts, context) };
}

/** The verdict on a whole test: the best variation that can ship, otherwise the next one in `order`. */
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
  // Harm leads to an immediate roll-back, even before a fixed horizon: a false alarm costs little.
  if (harmed.length > 0) return 'roll-back';
  const horizon = horizonOf(input);
  if (horizon !== undefined && visitors < horizon) return 'keep-going';
  if (smallestEffect != null && isWithin(improvement, Math.abs(smallestEffect.value))) return 'no-difference';
  const direction = directionOf(primary, input);
  if (direction !== null) return direction === 'better' ? 'ship' : 'roll-back';
  // An effect that is not significant at a fixed horizon is smaller than the planned one.
  return horizon === undefined ? 'keep-going' : 'no-difference';
}

/** Number of visitors at which the primary goal is evaluated once; undefined if it can be evaluated at any time. */
const horizonOf = ({ method, plannedVisitors }: VerdictInput) =>
  method === 'frequentist' ? plannedVisitors : undefined;

/** Null unless the difference is significant by both the p-value and the interval. */
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

/** Negates the interval if lower is better, so that higher is always better. */
function orient(interval: Interval | null, lowerIsBetter = false): Interval | null {
  if (interval === null || !lowerIsBetter) return interval;
  const { estimate, low, high } = interval;
  return { estimate: -estimate, low: high === null ? null : -high, high: low === null ? null : -low };
}

function daysLeft(input: VerdictInput, improvement: Interval | null): number | null {
  const { visitors, dailyVisitors = 0 } = input;
  if (!(dailyVisitors > 0)) return null;
  const needed = horizonOf(input) ?? visitorsUntilClear(input, improvement);
  return needed === null ? null : Math.max(1, Math.ceil((needed - visitors) / dailyVisitors));
}

/** Number of visitors at which intervals around the current estimate will exclude zero or the smallest effect. */
function visitorsUntilClear(input: VerdictInput, improvement: Interval | null): number | null {
  const { absolute } = input.primary.comparison;
  const untilSignificant = halfWidth(absolute) / Math.abs(absolute?.estimate ?? 0);
  const smallest = Math.abs(input.smallestEffect?.value ?? 0);
  const margin = smallest - Math.abs(improvement?.estimate ?? Infinity);
  const untilWithin = margin > 0 ? halfWidth(improvement) / margin : Infinity;
  const shrinking = Math.min(untilSignificant, untilWithin);
  if (!(shrinking < Infinity)) return null;
  const { method, visitors, alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N } = input;
  let needed = visitors * shrinking ** 2;
  if (method !== 'sequential') return needed;
  const current = sequentialCritical(visitors, alpha, sequentialN);
  // The sequence shrinks a little more slowly than the square root of the visitors.
  for (let step = 0; step < 50; step++) {
    needed = visitors * (shrinking * (sequentialCritical(needed, alpha, sequentialN) / current)) ** 2;
  }
  return needed;
}

/** Infinite if the interval is unknown. */
function halfWidth(interval: Interval | null): number {
  if (interval === null || interval.low === null || interval.high === null) return Infinity;
  return (interval.high - interval.low) / 2;
}
