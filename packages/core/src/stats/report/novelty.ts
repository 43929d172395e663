import type { Arm } from '../arm.ts';
import { normalSurvival } from '../distributions/normal.ts';
import { type Estimate, effectOf, withSpreadOfBoth } from '../effect.ts';

export interface Novelty {
  /** Effect on the visitors of the first days, and on those who came later. */
  readonly early: number;
  readonly late: number;
  /** As a share of the control's mean, or in its unit where that is not above zero. */
  readonly unit: 'relative' | 'absolute';
  /** Of the two being the same. */
  readonly pValue: number;
}

interface Pair {
  readonly control: Arm;
  readonly variation: Arm;
}

/**
 * Whether those who came in the first days reacted differently from those who came later: something new draws
 * attention for a while. The two groups share no visitor. Null when either tells nothing.
 *
 * The ratios are compared, not the differences: who came early has had more time to convert, in both variations
 * alike, and a difference grows with that.
 */
export function noveltyOf(first: Pair, later: Pair): Novelty | null {
  const ratios = [logRatio(first), logRatio(later)];
  const isRelative = !ratios.includes(null);
  const [early, late] = isRelative ? ratios : [difference(first), difference(later)];
  if (early?.variance == null || late?.variance == null) return null;
  const z = (early.value - late.value) / Math.sqrt(early.variance + late.variance);
  const pValue = 2 * normalSurvival(Math.abs(z));
  return isRelative
    ? { early: Math.expm1(early.value), late: Math.expm1(late.value), unit: 'relative', pValue }
    : { early: early.value, late: late.value, unit: 'absolute', pValue };
}

const difference = ({ control, variation }: Pair) => withSpreadOfBoth(effectOf(control, variation)).absolute;

/** Of the means; its variance by the delta method. Null unless both are above zero. */
function logRatio({ control, variation }: Pair): Estimate | null {
  if (!(isPositive(control) && isPositive(variation))) return null;
  const variance = relativeVariance(control) + relativeVariance(variation);
  const bothVary = control.variance! > 0 && variation.variance! > 0;
  return { value: Math.log(variation.mean! / control.mean!), variance: bothVary ? variance : null };
}

const isPositive = ({ mean, variance }: Arm) => mean !== null && mean > 0 && variance !== null;

const relativeVariance = ({ mean, variance, n }: Arm) => variance! / n / mean! ** 2;
