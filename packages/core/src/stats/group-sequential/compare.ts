import { type Comparison, NO_COMPARISON } from '../comparison.ts';
import { normalSurvival, normalUpperQuantile } from '../distributions/normal.ts';
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

/** A look may spend this part of alpha even if nothing is planned for it yet. */
const EARLY_SHARE = 1e-5;

/**
 * The boundary of each look, at most about 5 standard errors. Very early ones would be far higher, which makes intervals
 * meaningless and hides disasters; the cut adds at most a thousandth to the error rate of 100 looks.
 */
export function criticalsOf({ fractions, spending }: Omit<Looks, 'current'>, alpha: number): number[] {
  const highest = normalUpperQuantile((EARLY_SHARE * alpha) / 2);
  return boundariesOf(fractions, spending)
    .criticals(alpha)
    .map((critical) => Math.min(critical, highest));
}

/**
 * Comparison for a test with a planned size: the error rate stays at alpha over all looks (Lan and DeMets 1983). The
 * interval is the repeated confidence interval of Jennison and Turnbull, and the p-value inverts it.
 */
export function compareAtLook(effect: Effect, alpha: number, looks: Looks): Comparison {
  const { fractions, current, spending } = looks;
  const { z } = effect;
  return {
    ...NO_COMPARISON,
    ...atCritical(effect, criticalsOf(looks, alpha)[current]!),
    pValue:
      z === null ? null : Math.min(boundariesOf(fractions, spending).pValue(z, current), earlyPValue(z)),
  };
}

/** The smallest alpha at which the statistic reaches the highest boundary. */
const earlyPValue = (z: number) => Math.min(1, (2 * normalSurvival(Math.abs(z))) / EARLY_SHARE);
