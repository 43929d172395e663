import { centredProduct, centredSquares, type RatioSums, type VariationSums } from './sums.ts';

/** One variation's estimate. What is not defined (no visitors, one visitor's spread) is null. */
export interface Arm {
  readonly n: number;
  /** As observed. */
  readonly mean: number | null;
  /** After variance reduction; the same as `mean` without it. Only differences between arms mean something. */
  readonly adjustedMean: number | null;
  /** Of one visitor's adjusted value. */
  readonly variance: number | null;
  /** Of one visitor's value as observed. */
  readonly rawVariance: number | null;
  /** Between one visitor's adjusted value and the value as observed. */
  readonly rawCovariance: number | null;
}

/** Mean per visitor, with the unbiased variance. */
export function meanArm({ n, sum, sumSquares }: VariationSums): Arm {
  return plainArm(n, n > 0 ? sum / n : null, n > 1 ? centredSquares(n, sum, sumSquares) / (n - 1) : null);
}

/** Share of the visitors who converted, with the variance p(1 - p). */
export function proportionArm({ n, sum }: Pick<VariationSums, 'n' | 'sum'>): Arm {
  const converted = Math.min(Math.max(sum, 0), n);
  return plainArm(n, n > 0 ? converted / n : null, n > 0 ? (converted / n) * ((n - converted) / n) : null);
}

/** Ratio of two sums over visitors, with its variance by the delta method. */
export function ratioArm(sums: RatioSums): Arm {
  const { n, sum, denominatorSum } = sums;
  if (n < 1 || denominatorSum === 0) return plainArm(n, null, null);
  const ratio = sum / denominatorSum;
  if (n < 2) return plainArm(n, ratio, null);
  const numerator = centredSquares(n, sum, sums.sumSquares);
  const denominator = centredSquares(n, denominatorSum, sums.denominatorSumSquares);
  const both = centredProduct(n, sum, denominatorSum, sums.product);
  // The residual value - ratio · denominator has mean zero; its spread over the mean denominator is the ratio's.
  const residual = numerator - 2 * ratio * both + ratio * ratio * denominator;
  const scale = numerator + ratio * ratio * denominator;
  const kept = residual <= 8 * Number.EPSILON * scale ? 0 : residual;
  return plainArm(n, ratio, kept / (n - 1) / (denominatorSum / n) ** 2);
}

function plainArm(n: number, mean: number | null, variance: number | null): Arm {
  return { n, mean, adjustedMean: mean, variance, rawVariance: variance, rawCovariance: variance };
}
