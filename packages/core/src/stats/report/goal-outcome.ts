import { DEFAULT_ALPHA } from '../alpha.ts';
import type { MethodSettings } from '../analysis.ts';
import { type Comparison, excludesZero, type Interval } from '../comparison.ts';
import type { Unit } from '../words/numbers.ts';

/** The effect of a variation on one goal. */
export interface GoalOutcome {
  readonly id?: string | undefined;
  readonly name: string;
  readonly lowerIsBetter?: boolean | undefined;
  readonly unit: Unit;
  /** Whether its values are per visitor; default: amounts are. */
  readonly isPerVisitor?: boolean | undefined;
  /** Only of metrics: whether visitors reached it or have values of it, and for how many days each is followed. */
  readonly measured?: { readonly by: 'reached' | 'values'; readonly withinDays: number | null } | undefined;
  /** Means of the control and of the variation. */
  readonly control: number | null;
  readonly variation: number | null;
  readonly comparison: Comparison;
  /** The p-value after `adjustPValues`; default: the p-value of the comparison. */
  readonly adjustedPValue?: number | null | undefined;
}

/** Null unless the difference is significant. P-value and interval agree; only the correction can differ. */
export function directionOf(
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

/** The change, so that higher is always better. */
export function improvementOf(goal: GoalOutcome, unit: 'relative' | 'absolute'): Interval | null {
  // Relative to a negative mean, an increase is negative.
  const isReversed = unit === 'relative' && (goal.control ?? 0) < 0;
  return orient(goal.comparison[unit], (goal.lowerIsBetter ?? false) !== isReversed);
}

/** Negates the interval if lower is better. */
function orient(interval: Interval | null, lowerIsBetter = false): Interval | null {
  if (interval === null || !lowerIsBetter) return interval;
  const { estimate, low, high } = interval;
  return { estimate: -estimate, low: high === null ? null : -high, high: low === null ? null : -low };
}
