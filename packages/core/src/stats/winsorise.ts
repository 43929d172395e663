import type { VariationSums } from './sums.ts';

/** Values beyond these are counted as these. The quantile that gives them is taken over all variations, where the data is. */
export interface WinsorBounds {
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

export function winsorise(value: number, { low = -Infinity, high = Infinity }: WinsorBounds): number {
  return Math.min(Math.max(value, low), high);
}

/** Sums of the visitors of one variation, each value within the bounds; the second number of a pair is the covariate. */
export function sumVisitors(
  values: Iterable<number | readonly [value: number, covariate: number]>,
  bounds: WinsorBounds = {},
): VariationSums {
  let [n, sum, sumSquares] = [0, 0, 0];
  let [covariateSum, covariateSumSquares, covariateProduct] = [0, 0, 0];
  let paired = false;
  for (const each of values) {
    const value = winsorise(typeof each === 'number' ? each : each[0], bounds);
    n++;
    sum += value;
    sumSquares += value * value;
    if (typeof each === 'number') continue;
    paired = true;
    const covariate = winsorise(each[1], bounds);
    covariateSum += covariate;
    covariateSumSquares += covariate * covariate;
    covariateProduct += value * covariate;
  }
  const sums = { n, sum, sumSquares };
  return paired ? { ...sums, covariateSum, covariateSumSquares, covariateProduct } : sums;
}
