/** Sums over the visitors of a variation. A visitor's value may be negative, e.g. after a refund. */
export interface VariationSums {
  /** Number of visitors. */
  readonly n: number;
  /** Sum of the values; for a proportion, the number of converted visitors. */
  readonly sum: number;
  /** Sum of the squared values; ignored for a proportion, where it equals `sum`. */
  readonly sumSquares: number;
  /** What is known of the visitors from before the test. Either all variations have the same covariates, or none has any. */
  readonly covariates?: CovariateSums | undefined;
}

/** Sums over visitors, for a list of covariates. The first one is the same value before the test. */
export interface CovariateSums {
  readonly sums: readonly number[];
  /** Sums of the product of each pair of covariates. */
  readonly products: readonly (readonly number[])[];
  /** Sums of the product of each covariate and the value. */
  readonly shared: readonly number[];
}

/** Sums for a ratio of two values per visitor, e.g. revenue (value) per converted visitor (denominator, 0 or 1). */
export interface RatioSums {
  readonly n: number;
  readonly sum: number;
  readonly sumSquares: number;
  readonly denominatorSum: number;
  readonly denominatorSumSquares: number;
  /** Sum of value times denominator. */
  readonly product: number;
}

export type Metric = 'mean' | 'proportion' | 'ratio';

/** A difference below the rounding error of its terms counts as zero. */
const ROUNDING = 8 * Number.EPSILON;

/** Σxy - ΣxΣy/n: n times the covariance, as exact as the sums themselves. */
export function centredProduct(n: number, sumX: number, sumY: number, sumXY: number): number {
  const exact = differenceOfProducts(sumXY, n, sumX, sumY) / n;
  // The products may overflow although their difference does not.
  const difference = Number.isFinite(exact) ? exact : sumXY - (sumX / n) * sumY;
  const size = Math.max(Math.abs(sumXY), Math.abs((sumX / n) * sumY));
  return Math.abs(difference) <= ROUNDING * size ? 0 : difference;
}

/** Σx² - (Σx)²/n, never negative. */
export function centredSquares(n: number, sum: number, sumSquares: number): number {
  return Math.max(0, centredProduct(n, sum, sum, sumSquares));
}

/** a·b - c·d, corrected for the rounding errors of the products, which are often nearly equal. */
function differenceOfProducts(a: number, b: number, c: number, d: number): number {
  const [ab, cd] = [a * b, c * d];
  const errors = roundingErrorOf(a, b, ab) - roundingErrorOf(c, d, cd);
  return ab - cd + (Number.isFinite(errors) ? errors : 0);
}

/** The rounding error of a·b = `product` (Dekker). */
function roundingErrorOf(a: number, b: number, product: number): number {
  const [aHigh, bHigh] = [upperHalf(a), upperHalf(b)];
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

function upperHalf(x: number): number {
  const scaled = 134_217_729 * x;
  return scaled - (scaled - x);
}
