import type { Arm } from '../arm.ts';

export interface Estimate {
  readonly value: number;
  /** Null if unknown. */
  readonly variance: number | null;
}

/** The difference between a variation and the control; input to all methods. */
export interface Effect {
  /** Visitors of both arms. */
  readonly visitors: number;
  readonly controlMean: number | null;
  readonly absolute: Estimate | null;
  /** Relative to the mean of the control, by the delta method; null if that mean is zero. */
  readonly relative: Estimate | null;
  /** Welch–Satterthwaite; null without variance. */
  readonly degreesOfFreedom: number | null;
  /** False if all visitors of an arm have the same value. */
  readonly bothVary: boolean;
}

export function effectOf(control: Arm, variation: Arm): Effect {
  const visitors = control.n + variation.n;
  const unknown = { visitors, controlMean: control.mean, degreesOfFreedom: null, bothVary: false };
  if (control.adjustedMean === null || variation.adjustedMean === null || control.mean === null) {
    return { ...unknown, absolute: null, relative: null };
  }
  const difference = variation.adjustedMean - control.adjustedMean;
  const [ofControl, ofVariation] = [varianceOfMean(control), varianceOfMean(variation)];
  const total = ofControl === null || ofVariation === null ? 0 : ofControl + ofVariation;
  if (ofControl === null || ofVariation === null || total === 0) {
    const absolute = { value: difference, variance: null };
    return { ...unknown, absolute, relative: relativeTo(control, difference, null) };
  }
  return {
    ...unknown,
    absolute: { value: difference, variance: total },
    relative: relativeTo(control, difference, total),
    degreesOfFreedom: welch(control.n, ofControl, variation.n, ofVariation),
    bothVary: ofControl > 0 && ofVariation > 0,
  };
}

/** Without variances if all visitors of an arm have the same value; for methods that use the normal approximation. */
export function withSpreadOfBoth(effect: Effect): Effect {
  if (effect.bothVary) return effect;
  const { absolute, relative } = effect;
  return {
    ...effect,
    absolute: absolute && { value: absolute.value, variance: null },
    relative: relative && { value: relative.value, variance: null },
  };
}

/** Delta method for difference / control mean, which are correlated through the visitors of the control. */
function relativeTo(control: Arm, difference: number, variance: number | null): Estimate | null {
  const { mean, n, rawVariance, rawCovariance } = control;
  if (mean === null || mean === 0) return null;
  const value = difference / mean;
  if (variance === null || rawVariance === null || rawCovariance === null) return { value, variance: null };
  const spread = variance + (value * value * rawVariance) / n + (2 * value * rawCovariance) / n;
  const relative = Math.max(0, spread) / mean ** 2;
  return { value, variance: relative > 0 && relative < Infinity ? relative : null };
}

function welch(n: number, variance: number, otherN: number, otherVariance: number): number {
  const total = variance + otherVariance;
  const [share, otherShare] = [variance / total, otherVariance / total];
  const part = share === 0 ? 0 : share ** 2 / (n - 1);
  const otherPart = otherShare === 0 ? 0 : otherShare ** 2 / (otherN - 1);
  return 1 / (part + otherPart);
}

const varianceOfMean = ({ variance, n }: Arm) => (variance === null ? null : variance / n);
