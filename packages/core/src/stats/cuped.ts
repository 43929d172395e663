import { type Arm, meanArm, proportionArm } from './arm.ts';
import { centredProduct, centredSquares, type VariationSums } from './sums.ts';

interface CovariateSums extends VariationSums {
  readonly covariateSum: number;
  readonly covariateSumSquares: number;
  readonly covariateProduct: number;
}

/** True if every variation has all three covariate sums. */
export function haveCovariates<S extends VariationSums>(
  variations: readonly S[],
): variations is readonly (S & CovariateSums)[] {
  return variations.every(
    ({ covariateSum, covariateSumSquares, covariateProduct }) =>
      covariateSum !== undefined && covariateSumSquares !== undefined && covariateProduct !== undefined,
  );
}

/**
 * The coefficient of the covariate: covariance / variance, over the visitors of all variations. 0 for a constant
 * covariate, which explains nothing.
 */
export function cupedTheta(variations: readonly CovariateSums[]): number {
  const arms = variations.filter(({ n }) => n > 0);
  const covariates = arms.map(({ n, covariateSum, covariateSumSquares }) => ({
    n,
    sumX: covariateSum,
    sumY: covariateSum,
    sumXY: covariateSumSquares,
  }));
  const spread = pooledProduct(covariates);
  if (!(spread > 0)) return 0;
  const shared = arms.map(({ n, sum, covariateSum, covariateProduct }) => ({
    n,
    sumX: covariateSum,
    sumY: sum,
    sumXY: covariateProduct,
  }));
  return pooledProduct(shared) / spread;
}

interface ProductSums {
  readonly n: number;
  readonly sumX: number;
  readonly sumY: number;
  readonly sumXY: number;
}

/** The centered product over all visitors: within and between the arms. Adding up the sums first would lose precision. */
function pooledProduct(arms: readonly ProductSums[]): number {
  const total = (of: (arm: ProductSums) => number) => arms.reduce((sum, arm) => sum + of(arm), 0);
  const n = total((arm) => arm.n);
  const [meanX, meanY] = [total(({ sumX }) => sumX) / n, total(({ sumY }) => sumY) / n];
  return total(
    (arm) =>
      centredProduct(arm.n, arm.sumX, arm.sumY, arm.sumXY) +
      arm.n * (arm.sumX / arm.n - meanX) * (arm.sumY / arm.n - meanY),
  );
}

/** The arm of value - theta · covariate (CUPED, Deng and others 2013). */
export function cupedArm(metric: 'mean' | 'proportion', sums: CovariateSums, theta: number): Arm {
  const raw = metric === 'mean' ? meanArm(sums) : proportionArm(sums);
  const { n, sum, covariateSum, covariateSumSquares, covariateProduct } = sums;
  if (raw.mean === null) return raw;
  const adjustedMean = raw.mean - (theta * covariateSum) / n;
  if (raw.rawVariance === null) return { ...raw, adjustedMean };
  // The variance of a proportion divides by n, so its covariances do too.
  const divisor = metric === 'mean' ? n - 1 : n;
  const spread = centredSquares(n, covariateSum, covariateSumSquares) / divisor;
  const shared = centredProduct(n, covariateSum, sum, covariateProduct) / divisor;
  const variance = raw.rawVariance - 2 * theta * shared + theta * theta * spread;
  const scale = raw.rawVariance + theta * theta * spread;
  return {
    ...raw,
    adjustedMean,
    // If the covariate explains everything, only rounding errors are left.
    variance: variance <= 8 * Number.EPSILON * scale ? 0 : variance,
    rawCovariance: raw.rawVariance - theta * shared,
  };
}
