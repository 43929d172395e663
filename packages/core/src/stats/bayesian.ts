import { type Comparison, intervalOf } from './comparison.ts';
import { normalCdf, normalLoss, normalUpperQuantile } from './distributions/normal.ts';
import { type Effect, type Estimate, withSpreadOfBoth } from './effect.ts';

/** The prior of the relative uplift: flat, or a normal distribution. */
export type Prior =
  | { readonly proper: false }
  | { readonly proper: true; readonly mean: number; readonly sd: number };

export const FLAT_PRIOR: Prior = { proper: false };

/** The normal posterior of the effect: credible interval, chance to beat the control, and expected loss. */
export function compareBayesian(observed: Effect, alpha: number, prior: Prior): Comparison {
  const effect = withSpreadOfBoth(observed);
  const scale = effect.controlMean === null ? 0 : Math.abs(effect.controlMean);
  const absolute = posterior(effect.absolute, prior, scale);
  const critical = normalUpperQuantile(alpha / 2);
  const sd = absolute === null || absolute.variance === null ? null : Math.sqrt(absolute.variance);
  const z = absolute === null || sd === null ? null : absolute.value / sd;
  return {
    absolute: intervalOf(absolute, critical),
    relative: intervalOf(posterior(effect.relative, prior, 1), critical),
    pValue: null,
    chanceToBeat: z === null ? null : normalCdf(z),
    expectedLoss: z === null || sd === null ? null : sd * normalLoss(z),
  };
}

/** Combines data and prior by their precisions. A proper prior on a scale of zero is undefined. */
function posterior(estimate: Estimate | null, prior: Prior, scale: number): Estimate | null {
  if (estimate === null || !prior.proper) return estimate;
  if (scale === 0) return null;
  if (estimate.variance === null) return estimate;
  const priorPrecision = 1 / (prior.sd * scale) ** 2;
  const dataPrecision = 1 / estimate.variance;
  const variance = 1 / (priorPrecision + dataPrecision);
  return {
    value: variance * (prior.mean * scale * priorPrecision + estimate.value * dataPrecision),
    variance,
  };
}
