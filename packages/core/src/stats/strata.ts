import type { Arm } from './arm.ts';

/**
 * Estimates variations whose visitors are compared within strata (post-stratification). A stratum has the same weight in
 * all variations, its share of all visitors, so that a different mix of visitors makes no difference.
 *
 * @param strata for each stratum, the arms of all variations
 * @param observed the arms of all visitors together
 */
export function combineStrata(strata: readonly (readonly Arm[])[], observed: readonly Arm[]): readonly Arm[] {
  if (strata.length <= 1) return strata[0] ?? observed;
  const sizes = strata.map((arms) => arms.reduce((sum, { n }) => sum + n, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const weights = sizes.map((size) => size / total);
  return observed.map((arm, index) =>
    stratifiedArm(
      strata.map((arms) => arms[index]!),
      weights,
      arm,
    ),
  );
}

function stratifiedArm(arms: readonly Arm[], weights: readonly number[], observed: Arm): Arm {
  const mean = (of: (arm: Arm) => number | null) => weightedSum(arms, weights, of, (weight) => weight);
  /** The variance of a weighted mean, per visitor. */
  const spread = (of: (arm: Arm) => number | null) =>
    weightedSum(arms, weights, of, (weight, { n }) => (observed.n * weight * weight) / n);
  return {
    n: observed.n,
    mean: observed.mean,
    baseMean: mean(({ baseMean }) => baseMean),
    adjustedMean: mean(({ adjustedMean }) => adjustedMean),
    variance: spread(({ variance }) => variance),
    rawVariance: spread(({ rawVariance }) => rawVariance),
    rawCovariance: spread(({ rawCovariance }) => rawCovariance),
    isAdjusted: true,
  };
}

/** Null if a value is unknown. */
function weightedSum(
  arms: readonly Arm[],
  weights: readonly number[],
  of: (arm: Arm) => number | null,
  weightOf: (weight: number, arm: Arm) => number,
): number | null {
  let total = 0;
  for (const [index, arm] of arms.entries()) {
    const value = of(arm);
    if (value === null) return null;
    total += weightOf(weights[index]!, arm) * value;
  }
  return total;
}
