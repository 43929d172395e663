import { type Comparison, NO_COMPARISON } from './comparison.ts';
import { normalCdf } from './distributions/normal.ts';
import { atCritical, type Effect } from './effect.ts';

/** Default number of visitors at which the confidence sequence is tightest. */
export const DEFAULT_SEQUENTIAL_N = 5000;

/**
 * Always-valid comparison: the asymptotic confidence sequence of Waudby-Smith et al. (arXiv 2103.06476) over the
 * visitors of both arms, and the p-value that inverts it. The error rate stays at alpha however often one looks.
 */
export function compareSequentially(effect: Effect, alpha: number, sequentialN: number): Comparison {
  const { visitors, z } = effect;
  return {
    ...NO_COMPARISON,
    ...atCritical(effect, sequentialCritical(visitors, alpha, sequentialN)),
    pValue: z === null ? null : sequentialPValue(z * z, visitors, alpha, sequentialN),
  };
}

/**
 * Half the width of the confidence sequence after `visitors`, in standard errors.
 *
 * @param level default: alpha. A correction for several comparisons asks for a lower level, but does not tune the sequence.
 */
export function sequentialCritical(
  visitors: number,
  alpha: number,
  sequentialN: number,
  level = alpha,
): number {
  const information = visitors * mixingVariance(alpha, sequentialN);
  return Math.sqrt((1 + 1 / information) * (Math.log1p(information) - 2 * Math.log(level)));
}

/** The smallest level at which the sequence, with its tuning unchanged, excludes zero. */
export function sequentialPValue(
  zSquared: number,
  visitors: number,
  alpha: number,
  sequentialN: number,
): number {
  const oneDifference = { chiSquared: zSquared, degreesOfFreedom: 1 };
  return sequentialChiSquarePValue(oneDifference, visitors, alpha, sequentialN);
}

/**
 * The same for several differences together: a chi-square statistic of their covariance matrix. With one degree of
 * freedom, it is the p-value above.
 */
export function sequentialChiSquarePValue(
  { chiSquared, degreesOfFreedom }: { readonly chiSquared: number; readonly degreesOfFreedom: number },
  visitors: number,
  alpha: number,
  sequentialN: number,
): number {
  const information = visitors * mixingVariance(alpha, sequentialN);
  const logPValue = 0.5 * (degreesOfFreedom * Math.log1p(information) - chiSquared / (1 + 1 / information));
  return Math.min(1, Math.exp(logPValue));
}

/**
 * The always-valid p-value of "the effect does not go in this direction", if the estimate does: the mixture is over the
 * effects in this direction only.
 *
 * @param pValue of `sequentialPValue`
 */
export function oneSidedPValue(pValue: number, visitors: number, alpha: number, sequentialN: number): number {
  const z = Math.sqrt(Math.log1p(visitors * mixingVariance(alpha, sequentialN)) - 2 * Math.log(pValue));
  return Math.min(1, pValue / (2 * normalCdf(z)));
}

/** ρ² of the paper, chosen so that the sequence is tightest at N*. */
function mixingVariance(alpha: number, sequentialN: number): number {
  const level = -2 * Math.log(alpha);
  return (level + Math.log1p(level)) / sequentialN;
}
