import type { Arm } from '../stats/arm.ts';

/** What tests expect of an arm without adjustment; written apart from `stats/arm.ts`, whose mistakes it would share. */
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
