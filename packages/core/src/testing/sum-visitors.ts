import type { VariationSums } from '../stats/sums.ts';

/** Sums over the visitors of one variation; pairs are a value and a covariate. */
export function sumVisitors(
  values: Iterable<number | readonly [value: number, covariate: number]>,
): VariationSums {
  let [n, sum, sumSquares] = [0, 0, 0];
  let [covariateSum, covariateSumSquares, covariateProduct] = [0, 0, 0];
  let paired = false;
  for (const each of values) {
    const value = typeof each === 'number' ? each : each[0];
    n++;
    sum += value;
    sumSquares += value * value;
    if (typeof each === 'number') continue;
    paired = true;
    const [, covariate] = each;
    covariateSum += covariate;
    covariateSumSquares += covariate * covariate;
    covariateProduct += value * covariate;
  }
  const sums = { n, sum, sumSquares };
  if (!paired) return sums;
  return {
    ...sums,
    covariates: { sums: [covariateSum], products: [[covariateSumSquares]], shared: [covariateProduct] },
  };
}
