import type { Arm } from './arm.ts';
import { type Comparison, NO_COMPARISON } from './comparison.ts';
import { normalSurvival, normalUpperQuantile } from './distributions/normal.ts';
import { studentTwoSided, studentUpperQuantile } from './distributions/student-t.ts';
import { atCritical, type EffectOptions, normalEffect, studentEffect } from './effect.ts';

/** Fixed-horizon comparison: Welch's t-test for means and ratios, the score test for rates. */
export function compareOnce(control: Arm, variation: Arm, alpha: number, options: EffectOptions): Comparison {
  if (options.metric === 'proportion') {
    const effect = normalEffect(control, variation, options);
    return {
      ...NO_COMPARISON,
      ...atCritical(effect, normalUpperQuantile(alpha / 2)),
      pValue: effect.z === null ? null : 2 * normalSurvival(Math.abs(effect.z)),
    };
  }
  const effect = studentEffect(control, variation, options);
  const { z, degreesOfFreedom } = effect;
  if (z === null || degreesOfFreedom === null) return { ...NO_COMPARISON, ...atCritical(effect, null) };
  return {
    ...NO_COMPARISON,
    ...atCritical(effect, studentUpperQuantile(alpha / 2, degreesOfFreedom)),
    pValue: studentTwoSided(z, degreesOfFreedom),
  };
}
