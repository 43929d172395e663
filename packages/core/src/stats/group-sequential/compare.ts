import { type Comparison, NO_COMPARISON } from '../comparison.ts';
import { atCritical, type Effect } from '../effect.ts';
import { boundariesOf } from './boundaries.ts';
import { DEFAULT_SPENDING, type Spending } from './spending.ts';

/** The looks at a group-sequential test: information fractions, ascending. */
export interface Looks {
  readonly fractions: readonly number[];
  /** Index of the look to evaluate. */
  readonly current: number;
  readonly spending: Spending;
}

/** A single look, at the planned size. */
export const FINAL_LOOK: Looks = { fractions: [1], current: 0, spending: DEFAULT_SPENDING };

/** Looks after these numbers of visitors; once the planned number is reached, further visitors change nothing. */
export function looksAt(visitors: readonly number[], plannedVisitors: number, spending: Spending): Looks {
  const fractions = visitors
    .map((count) => Math.min(1, count / plannedVisitors))
    .filter((fraction, index, all) => fraction > (all[index - 1] ?? 0));
  return { fractions, current: fractions.length - 1, spending };
}

/**
 * Comparison for a test with a planned size: the error rate stays at alpha over all looks (Lan and DeMets 1983). The
 * interval is the repeated confidence interval of Jennison and Turnbull, and the p-value inverts it.
 */
export function compareAtLook(
  effect: Effect,
  alpha: number,
  { fractions, current, spending }: Looks,
): Comparison {
  const boundaries = boundariesOf(fractions, spending);
  return {
    ...NO_COMPARISON,
    ...atCritical(effect, boundaries.cutCriticals(alpha)[current]!),
    pValue: effect.z === null ? null : boundaries.cutPValue(effect.z, current),
  };
}
