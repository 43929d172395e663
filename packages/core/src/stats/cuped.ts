import { type Arm, meanArm, proportionArm } from './arm.ts';
import { type CovariateSums, centredProduct, centredSquares, type VariationSums } from './sums.ts';

/** A further covariate is used if it explains at least this part of the variance. */
const MIN_EXPLAINED = 0.005;
/** A covariate that is this close to a combination of the others explains nothing more. */
const COLLINEAR = 1e-9;

export interface SumsWithCovariates extends VariationSums {
  readonly covariates: CovariateSums;
}

/** True if every variation has covariates. */
export function haveCovariates<S extends VariationSums>(
  variations: readonly S[],
): variations is readonly (S & SumsWithCovariates)[] {
  return variations.every(({ covariates }) => covariates !== undefined);
}

/** The coefficients of the covariates; 0 for those that are not used. */
export type Coefficients = readonly number[];

/**
 * Regression of the values on the covariates, over the visitors of all variations. The first covariate is always used,
 * others if they help.
 *
 * @param strata visitors are compared within strata, so only differences within them are to be explained
 */
export function regress(strata: readonly (readonly SumsWithCovariates[])[]): Coefficients {
  const groups = strata.map((variations) => variations.filter(({ n }) => n > 0));
  const count = groups.flat()[0]?.covariates.sums.length ?? 0;
  const indexes = Array.from({ length: count }, (_, index) => index);
  const products = indexes.map((i) => indexes.map((j) => pooled(groups, (it) => covariateProduct(it, i, j))));
  const shared = indexes.map((i) => pooled(groups, (it) => sharedProduct(it, i)));
  const total = pooled(groups, ({ n, sum, sumSquares }) => ({ n, sumX: sum, sumY: sum, sumXY: sumSquares }));
  const system = { products, shared };
  let used = indexes.slice(0, 1);
  let solution = solve(system, used);
  for (let left = indexes.slice(1); left.length > 0; ) {
    const [best] = left
      .map((index) => ({ index, next: solve(system, [...used, index]) }))
      .toSorted((a, b) => b.next.explained - a.next.explained);
    if (!(best!.next.explained - solution.explained > MIN_EXPLAINED * total)) break;
    used = [...used, best!.index];
    solution = best!.next;
    left = left.filter((index) => index !== best!.index);
  }
  return indexes.map((index) => solution.coefficients[used.indexOf(index)] ?? 0);
}

interface ProductSums {
  readonly n: number;
  readonly sumX: number;
  readonly sumY: number;
  readonly sumXY: number;
}

const covariateProduct = (
  { n, covariates: { sums, products } }: SumsWithCovariates,
  i: number,
  j: number,
) => ({
  n,
  sumX: sums[i]!,
  sumY: sums[j]!,
  sumXY: products[i]![j]!,
});

const sharedProduct = ({ n, sum, covariates: { sums, shared } }: SumsWithCovariates, i: number) => ({
  n,
  sumX: sums[i]!,
  sumY: sum,
  sumXY: shared[i]!,
});

/** The centered product over all visitors of a stratum, summed over strata. */
function pooled(
  groups: readonly (readonly SumsWithCovariates[])[],
  productOf: (sums: SumsWithCovariates) => ProductSums,
): number {
  return groups.reduce((sum, variations) => sum + pooledProduct(variations.map(productOf)), 0);
}

/** Within and between the arms. Adding up the sums first would lose precision. */
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

interface System {
  readonly products: readonly (readonly number[])[];
  readonly shared: readonly number[];
}

/** The coefficients of the used covariates, and what they explain: by elimination, without constant and collinear ones. */
function solve({ products, shared }: System, used: readonly number[]) {
  const rows = used.map((i) => [...used.map((j) => products[i]![j]!), shared[i]!]);
  const spreads = used.map((i) => products[i]![i]!);
  for (const [k, row] of rows.entries()) {
    const pivot = row[k]!;
    if (!(pivot > COLLINEAR * spreads[k]!)) {
      row.fill(0);
      continue;
    }
    for (const [index, other] of rows.entries()) {
      if (index === k) continue;
      const factor = other[k]! / pivot;
      for (let column = k; column < row.length; column++) other[column]! -= factor * row[column]!;
    }
  }
  const coefficients = rows.map((row, k) => (row[k] === 0 ? 0 : row.at(-1)! / row[k]!));
  const explained = coefficients.reduce((sum, value, k) => sum + value * shared[used[k]!]!, 0);
  return { coefficients, explained };
}

/** The arm of value - Σ coefficient · covariate (CUPED, Deng and others 2013). */
export function cupedArm(
  metric: 'mean' | 'proportion',
  sums: SumsWithCovariates,
  coefficients: Coefficients,
): Arm {
  const raw = metric === 'mean' ? meanArm(sums) : proportionArm(sums);
  const { n, covariates } = sums;
  if (raw.mean === null) return raw;
  const shift = coefficients.reduce((sum, value, i) => sum + (value * covariates.sums[i]!) / n, 0);
  const adjusted = {
    ...raw,
    adjustedMean: raw.mean - shift,
    isAdjusted: coefficients.some((it) => it !== 0),
  };
  if (raw.rawVariance === null) return adjusted;
  // The variance of a proportion divides by n, so its covariances do too.
  const divisor = metric === 'mean' ? n - 1 : n;
  const shared = weighted(coefficients, (i) => product(sharedProduct(sums, i)) / divisor);
  const spread = weighted(coefficients, (i) =>
    weighted(coefficients, (j) => product(covariateProduct(sums, i, j)) / divisor),
  );
  const variance = raw.rawVariance - 2 * shared + spread;
  const scale = raw.rawVariance + spread;
  return {
    ...adjusted,
    // If the covariates explain everything, only rounding errors are left.
    variance: variance <= 8 * Number.EPSILON * scale ? 0 : variance,
    rawCovariance: raw.rawVariance - shared,
  };
}

const weighted = (coefficients: Coefficients, of: (index: number) => number) =>
  coefficients.reduce((sum, value, index) => (value === 0 ? sum : sum + value * of(index)), 0);

const product = ({ n, sumX, sumY, sumXY }: ProductSums) =>
  sumX === sumY ? centredSquares(n, sumX, sumXY) : centredProduct(n, sumX, sumY, sumXY);
