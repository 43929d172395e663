/** What is added up over the visitors of a variation; a visitor's value may be negative, e.g. after a refund. */
export interface VariationSums {
  /** Visitors. */
  readonly n: number;
  /** Of the visitors' values; for a proportion, the number of visitors who converted. */
  readonly sum: number;
  /** Of the squares of the values; for a proportion it is the same as `sum` and not looked at. */
  readonly sumSquares: number;
  /** Of the values before the first exposure; all three or none, and for all variations or none. */
  readonly covariateSum?: number | undefined;
  readonly covariateSumSquares?: number | undefined;
  /** Of value times covariate. */
  readonly covariateProduct?: number | undefined;
}

/** Sums of a ratio of two values per visitor, e.g. revenue (value) per converted visitor (denominator, 0 or 1). */
export interface RatioSums {
  readonly n: number;
  readonly sum: number;
  readonly sumSquares: number;
  readonly denominatorSum: number;
  readonly denominatorSumSquares: number;
  /** Of value times denominator. */
  readonly product: number;
}

export type Metric = 'mean' | 'proportion' | 'ratio';

/** What falls below the rounding of its own terms is rounding, not spread. */
const ROUNDING = 8 * Number.EPSILON;

/** Σxy - ΣxΣy/n: n times the covariance, exact to the rounding of the sums themselves. */
export function centredProduct(n: number, sumX: number, sumY: number, sumXY: number): number {
  const exact = differenceOfProducts(sumXY, n, sumX, sumY) / n;
  // The products may be too large for a number although their difference is not.
  const difference = Number.isFinite(exact) ? exact : sumXY - (sumX / n) * sumY;
  const size = Math.max(Math.abs(sumXY), Math.abs((sumX / n) * sumY));
  return Math.abs(difference) <= ROUNDING * size ? 0 : difference;
}

/** Σx² - (Σx)²/n, never negative. */
export function centredSquares(n: number, sum: number, sumSquares: number): number {
  return Math.max(0, centredProduct(n, sum, sum, sumSquares));
}

/** a·b - c·d with the rounding of both products taken back, since they are often nearly equal. */
function differenceOfProducts(a: number, b: number, c: number, d: number): number {
  const [ab, cd] = [a * b, c * d];
  const errors = roundingOf(a, b, ab) - roundingOf(c, d, cd);
  return ab - cd + (Number.isFinite(errors) ? errors : 0);
}

/** What is lost when a·b is rounded to `product` (Dekker). */
function roundingOf(a: number, b: number, product: number): number {
  const [aHigh, bHigh] = [upperHalf(a), upperHalf(b)];
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

function upperHalf(x: number): number {
  const scaled = 134_217_729 * x;
  return scaled - (scaled - x);
}
