import type { Arm } from './arm.ts';
import { type Comparison, intervalOf } from './comparison.ts';
import { normalSurvival, normalUpperQuantile } from './distributions/normal.ts';
import { studentTwoSided, studentUpperQuantile } from './distributions/student-t.ts';
import type { Effect } from './effect.ts';

const NOT_BAYESIAN = { chanceToBeat: null, expectedLoss: null };

/** Fixed-horizon comparison of means or ratios: Welch's t-test and its interval. */
export function compareMeans({ absolute, relative, degreesOfFreedom }: Effect, alpha: number): Comparison {
  const critical = degreesOfFreedom === null ? null : studentUpperQuantile(alpha / 2, degreesOfFreedom);
  return {
    absolute: intervalOf(absolute, critical),
    relative: intervalOf(relative, critical),
    pValue:
      absolute === null || absolute.variance === null || degreesOfFreedom === null
        ? null
        : studentTwoSided(absolute.value / Math.sqrt(absolute.variance), degreesOfFreedom),
    ...NOT_BAYESIAN,
  };
}

/**
 * Fixed-horizon comparison of proportions: the two-proportion z-test. As usual, the test pools the arms, because they
 * are equal under the null hypothesis, and the interval does not.
 */
export function compareProportions(effect: Effect, control: Arm, variation: Arm, alpha: number): Comparison {
  const critical = normalUpperQuantile(alpha / 2);
  const variance = pooledVariance(control, variation) ?? effect.absolute?.variance ?? null;
  return {
    absolute: intervalOf(effect.absolute, critical),
    relative: intervalOf(effect.relative, critical),
    pValue:
      effect.absolute === null || variance === null || variance === 0
        ? null
        : 2 * normalSurvival(Math.abs(effect.absolute.value) / Math.sqrt(variance)),
    ...NOT_BAYESIAN,
  };
}

/** Null with a covariate: adjusted values are not proportions. */
function pooledVariance(control: Arm, variation: Arm): number | null {
  if (control.mean === null || variation.mean === null) return null;
  if (isAdjusted(control) || isAdjusted(variation)) return null;
  const n = control.n + variation.n;
  const converted = control.mean * control.n + variation.mean * variation.n;
  return (converted / n) * ((n - converted) / n) * (1 / control.n + 1 / variation.n);
}

/** A centered covariate changes only the variance, not the mean. */
const isAdjusted = ({ mean, adjustedMean, variance, rawVariance }: Arm) =>
  mean !== adjustedMean || variance !== rawVariance;
