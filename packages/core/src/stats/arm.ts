import { centredProduct, centredSquares, type RatioSums, type VariationSums } from './sums.ts';

/** The estimate of one variation. Null if undefined: a mean without visitors, or the variance of a single visitor. */
export interface Arm {
  readonly n: number;
  /** The observed mean. */
  readonly mean: number | null;
  /** What relative changes of the control refer to: the observed mean, with the strata weighted as in the whole test. */
  readonly baseMean: number | null;
  /** The base mean after variance reduction, or without it the same. Only differences between arms are meaningful. */
  readonly adjustedMean: number | null;
  /** Variance of a visitor's adjusted value. */
  readonly variance: number | null;
  /** Variance of a visitor's value. */
  readonly rawVariance: number | null;
  /** Covariance of a visitor's adjusted value and value. */
  readonly rawCovariance: number | null;
  /** Whether covariates or strata were used. */
  readonly isAdjusted: boolean;
}

/** The mean per visitor, with the unbiased variance. */
export function meanArm({ n, sum, sumSquares }: VariationSums): Arm {
  return plainArm(n, n > 0 ? sum / n : null, n > 1 ? centredSquares(n, sum, sumSquares) / (n - 1) : null);
}

/** The conversion rate, with the variance p(1 - p). */
export function proportionArm({ n, sum }: Pick<VariationSums, 'n' | 'sum'>): Arm {
  const converted = Math.min(Math.max(sum, 0), n);
  return plainArm(n, n > 0 ? converted / n : null, n > 0 ? (converted / n) * ((n - converted) / n) : null);
}

/** The ratio of two sums over visitors, with its variance by the delta method. */
export function ratioArm(sums: RatioSums): Arm {
  const { n, sum, denominatorSum } = sums;
  if (n < 1 || denominatorSum === 0) return plainArm(n, null, null);
  const ratio = sum / denominatorSum;
  if (n < 2) return plainArm(n, ratio, null);
  return plainArm(n, ratio, residualVariance(sums, ratio) / (denominatorSum / n) ** 2);
}

/** Delta method: the variance of value - ratio · denominator; to be divided by the squared mean of the denominator. */
export function residualVariance(sums: RatioSums, ratio: number): number {
  const { n, sum, denominatorSum } = sums;
  const numerator = centredSquares(n, sum, sums.sumSquares);
  const denominator = centredSquares(n, denominatorSum, sums.denominatorSumSquares);
  const both = centredProduct(n, sum, denominatorSum, sums.product);
  const residual = numerator - 2 * ratio * both + ratio * ratio * denominator;
  const scale = numerator + ratio * ratio * denominator;
  const rounded = residual <= 8 * Number.EPSILON * scale ? 0 : residual;
  return rounded / (n - 1);
}

export function plainArm(n: number, mean: number | null, variance: number | null): Arm {
  return {
    n,
    mean,
    baseMean: mean,
    adjustedMean: mean,
    variance,
    rawVariance: variance,
    rawCovariance: variance,
    isAdjusted: false,
  };
}
