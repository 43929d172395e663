import type { Arm } from '../stats/arm.ts';

/** Without adjustment, all means are the same, as are all variances. */
export const plainArm = (n: number, mean: number | null, variance: number | null): Arm => ({
  n,
  mean,
  baseMean: mean,
  adjustedMean: mean,
  variance,
  rawVariance: variance,
  rawCovariance: variance,
  isAdjusted: false,
});
