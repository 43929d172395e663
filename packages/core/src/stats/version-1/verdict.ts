import type { HealthProblem } from './health.ts';
import { type Comparison, type Interval, isWithin, type Settings, sequentialCritical } from './methods.ts';
import { describeVerdict } from './verdict-words.ts';

type Decision = 'ship' | 'roll-back' | 'no-difference' | 'keep-going' | 'unhealthy';

/** The effect of a variation on one goal. */
export interface GoalOutcome {
  readonly name: string;
  readonly lowerIsBetter: boolean;
  readonly comparison: Comparison;
  readonly adjustedPValue: number | null;
}

interface VerdictInput {
  readonly settings: Settings;
  readonly variation: string;
  readonly problems: readonly HealthProblem[];
  readonly primary: GoalOutcome;
  readonly guardrails: readonly GoalOutcome[];
  /** Relative effect on the primary goal. */
  readonly smallestEffect: number | null;
  /** Of this variation and the control, like the next two. */
  readonly visitors: number;
  /** 0 after the end of the phase. */
  readonly dailyVisitors: number;
  readonly plannedVisitors: number | null;
  /** The phase has ended. */
  readonly isOver: boolean;
}

export interface Verdict {
  readonly decision: Decision;
  readonly variation: string;
  readonly words: string;
  /** Improvement of the primary goal, in `unit`; null if unknown. */
  readonly improvement: Interval | null;
  readonly unit: 'absolute' | 'relative';
  readonly primary: GoalOutcome;
  readonly harmedGuardrails: readonly GoalOutcome[];
  readonly problems: readonly HealthProblem[];
  readonly smallestEffect: { readonly kind: string; readonly value: number } | null;
  readonly visitors: number;
  readonly plannedVisitors: number | null;
  readonly daysLeft: number | null;
}

export function decideVerdict(input: VerdictInput): Verdict {
  const { variation, primary, problems, smallestEffect, visitors, plannedVisitors, isOver } = input;
  const harmedGuardrails = input.guardrails.filter((goal) => directionOf(goal, input) === 'worse');
  const unit: Verdict['unit'] =
    smallestEffect === null && primary.comparison.relative === null ? 'absolute' : 'relative';
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
    smallestEffect: smallestEffect === null ? null : { kind: 'relative', value: smallestEffect },
    visitors,
    plannedVisitors,
    daysLeft: decision === 'keep-going' ? daysLeft(input, improvement) : null,
  };
  return { ...facts, words: describeVerdict(facts, { horizon: horizonOf(input), isOver }) };
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
  if (harmed.length > 0) return 'roll-back';
  const horizon = horizonOf(input);
  if (horizon !== null && visitors < horizon) return 'keep-going';
  if (smallestEffect !== null && isWithin(improvement, Math.abs(smallestEffect))) return 'no-difference';
  const direction = directionOf(primary, input);
  if (direction !== null) return direction === 'better' ? 'ship' : 'roll-back';
  return horizon === null ? 'keep-going' : 'no-difference';
}

/** Number of visitors at which the primary goal is evaluated once; null if it can be evaluated at any time. */
const horizonOf = ({ settings, plannedVisitors }: VerdictInput) =>
  settings.engine === 'frequentist' ? plannedVisitors : null;

/** Null unless the difference is significant by both the p-value and the interval. */
function directionOf(
  { comparison, lowerIsBetter, adjustedPValue }: GoalOutcome,
  { settings }: VerdictInput,
): 'better' | 'worse' | null {
  const interval = orient(comparison.absolute, lowerIsBetter);
  if (interval === null || interval.estimate === 0) return null;
  const known = interval.low !== null && interval.high !== null;
  if (!known && adjustedPValue === null) return null;
  if (adjustedPValue !== null && adjustedPValue >= settings.alpha) return null;
  if (known && interval.low <= 0 && interval.high >= 0) return null;
  return interval.estimate > 0 ? 'better' : 'worse';
}

/** Negates the interval if lower is better, so that higher is always better. */
function orient(interval: Interval | null, lowerIsBetter: boolean): Interval | null {
  if (interval === null || !lowerIsBetter) return interval;
  const { estimate, low, high } = interval;
  return { estimate: -estimate, low: high === null ? null : -high, high: low === null ? null : -low };
}

function daysLeft(input: VerdictInput, improvement: Interval | null): number | null {
  const { visitors, dailyVisitors } = input;
  if (!(dailyVisitors > 0)) return null;
  const needed = horizonOf(input) ?? visitorsUntilClear(input, improvement);
  return needed === null ? null : Math.max(1, Math.ceil((needed - visitors) / dailyVisitors));
}

/** Number of visitors at which intervals around the current estimate will exclude zero or the smallest effect. */
function visitorsUntilClear(input: VerdictInput, improvement: Interval | null): number | null {
  const { settings, visitors } = input;
  const { absolute } = input.primary.comparison;
  const untilSignificant = halfWidth(absolute) / Math.abs(absolute?.estimate ?? 0);
  const smallest = Math.abs(input.smallestEffect ?? 0);
  const margin = smallest - Math.abs(improvement?.estimate ?? Infinity);
  const untilWithin = margin > 0 ? halfWidth(improvement) / margin : Infinity;
  const shrinking = Math.min(untilSignificant, untilWithin);
  if (!(shrinking < Infinity)) return null;
  let needed = visitors * shrinking ** 2;
  if (settings.engine !== 'sequential') return needed;
  const current = sequentialCritical(visitors, settings);
  // The sequence shrinks a little more slowly than the square root of the visitors.
  for (let step = 0; step < 50; step++) {
    needed = visitors * (shrinking * (sequentialCritical(needed, settings) / current)) ** 2;
  }
  return needed;
}

/** Infinite if the interval is unknown. */
function halfWidth(interval: Interval | null): number {
  if (interval === null || interval.low === null || interval.high === null) return Infinity;
  return (interval.high - interval.low) / 2;
}
