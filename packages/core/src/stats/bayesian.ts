import type { Arm } from './arm.ts';
import { type Comparison, NO_COMPARISON } from './comparison.ts';
import { normalCdf, normalLoss, normalUpperQuantile } from './distributions/normal.ts';
import { type EffectOptions, intervalsOf } from './effect.ts';
import { type JointEstimate, jointEstimate, requireSpread } from './joint-estimate.ts';

/** The prior of the relative uplift: flat, or a normal distribution. */
export type Prior =
  | { readonly proper: false }
  | { readonly proper: true; readonly mean: number; readonly sd: number };

export const FLAT_PRIOR: Prior = { proper: false };

/** The normal posterior of the effect: credible interval, chance to beat the control, and expected loss. */
export function compareBayesian(
  control: Arm,
  variation: Arm,
  alpha: number,
  prior: Prior,
  options: EffectOptions,
): Comparison {
  const data = jointEstimate(control, variation);
  if (data === null) return NO_COMPARISON;
  const joint = posterior(requireSpread(data, control, variation), prior);
  if (joint === null) return NO_COMPARISON;
  const intervals = intervalsOf(joint, normalUpperQuantile(alpha / 2), options);
  if (joint.variance === null) return { ...NO_COMPARISON, ...intervals };
  const sd = Math.sqrt(joint.variance);
  const z = joint.difference / sd;
  return {
    ...intervals,
    standardError: sd,
    pValue: null,
    chanceToBeat: normalCdf(z),
    expectedLoss: sd * normalLoss(z),
  };
}

/**
 * Combines data and prior. The prior of the difference is that of the uplift times the control's mean; the control's
 * mean has a flat prior, but changes with the difference, because they are correlated. Null for a proper prior on a
 * mean of zero.
 */
function posterior(data: JointEstimate, prior: Prior): JointEstimate | null {
  if (!prior.proper) return data;
  const scale = Math.abs(data.controlMean);
  if (scale === 0) return null;
  const { variance, covariance } = data;
  if (variance === null) return data;
  const priorVariance = (prior.sd * scale) ** 2;
  const total = variance + priorVariance;
  const surprise = prior.mean * scale - data.difference;
  return {
    ...data,
    difference: data.difference + (variance / total) * surprise,
    controlMean: data.controlMean + (covariance / total) * surprise,
    variance: (variance * priorVariance) / total,
    covariance: (covariance * priorVariance) / total,
    controlVariance: data.controlVariance - (covariance * covariance) / total,
  };
}
