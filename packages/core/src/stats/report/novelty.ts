import type { Arm } from '../arm.ts';
import { normalSurvival } from '../distributions/normal.ts';
import { jointEstimate, requireSpread } from '../joint-estimate.ts';

export interface Novelty {
  /** Effect on the visitors of the first days, and on later visitors. */
  readonly early: number;
  readonly late: number;
  /** Relative to the control's mean; absolute if that mean is not positive. */
  readonly unit: 'relative' | 'absolute';
  /** Of the null hypothesis that both effects are equal. */
  readonly pValue: number;
}

interface Pair {
  readonly control: Arm;
  readonly variation: Arm;
}

/**
 * Whether visitors of the first days reacted differently from later visitors: new things attract attention for a
 * while. The two groups have no visitor in common. Null if either group has no usable data.
 *
 * Compares ratios, not differences: early visitors of both variations have had more time to convert, which increases
 * differences but not ratios.
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

/** The variance is null if unknown. */
interface Estimate {
  readonly value: number;
  readonly variance: number | null;
}

function difference({ control, variation }: Pair): Estimate | null {
  const joint = jointEstimate(control, variation);
  if (joint === null) return null;
  const { variance } = requireSpread(joint, control, variation);
  return { value: joint.difference, variance };
}

/** Log ratio of the means, with its variance by the delta method; null unless both means are positive. */
function logRatio({ control, variation }: Pair): Estimate | null {
  if (!(isPositive(control) && isPositive(variation))) return null;
  const variance = relativeVariance(control) + relativeVariance(variation);
  const bothVary = control.variance! > 0 && variation.variance! > 0;
  return { value: Math.log(variation.baseMean! / control.baseMean!), variance: bothVary ? variance : null };
}

const isPositive = ({ baseMean, variance }: Arm) => baseMean !== null && baseMean > 0 && variance !== null;

const relativeVariance = ({ baseMean, variance, n }: Arm) => variance! / n / baseMean! ** 2;
