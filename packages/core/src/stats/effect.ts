import type { Arm } from './arm.ts';

export interface Estimate {
  readonly value: number;
  /** Of the estimate; null when the data tells nothing about it. */
  readonly variance: number | null;
}

/** The difference between a variation and the control, before any method judges it. */
export interface Effect {
  /** Visitors of both arms. */
  readonly visitors: number;
  readonly controlMean: number | null;
  readonly absolute: Estimate | null;
  /** As a share of the control's mean, by the delta method; null when that mean is zero. */
  readonly relative: Estimate | null;
  /** Of Welch and Satterthwaite; null when there is no spread. */
  readonly degreesOfFreedom: number | null;
  /** False when all visitors of an arm are alike, e.g. none has converted yet. */
  readonly bothVary: boolean;
}

/** Compares two arms of the same metric. */
export function effectOf(control: Arm, variation: Arm): Effect {
  const visitors = control.n + variation.n;
  const nothing = { visitors, controlMean: control.mean, degreesOfFreedom: null, bothVary: false };
  if (control.adjustedMean === null || variation.adjustedMean === null || control.mean === null) {
    return { ...nothing, absolute: null, relative: null };
  }
  const difference = variation.adjustedMean - control.adjustedMean;
  const [ofControl, ofVariation] = [varianceOfMean(control), varianceOfMean(variation)];
  const total = ofControl === null || ofVariation === null ? 0 : ofControl + ofVariation;
  if (ofControl === null || ofVariation === null || total === 0) {
    return { ...nothing, absolute: sure(difference), relative: relativeTo(control, difference, null) };
  }
  return {
    ...nothing,
    absolute: { value: difference, variance: total },
    relative: relativeTo(control, difference, total),
    degreesOfFreedom: welch(control.n, ofControl, variation.n, ofVariation),
    bothVary: ofControl > 0 && ofVariation > 0,
  };
}

/**
 * For methods that rest on the normal approximation: an arm whose visitors are all alike says nothing about its own
 * uncertainty, and the other arm's alone would pass for certainty (0 of 10 converted, against 8 % of thousands).
 */
export function withSpreadOfBoth(effect: Effect): Effect {
  if (effect.bothVary) return effect;
  const { absolute, relative } = effect;
  return {
    ...effect,
    absolute: absolute === null ? null : sure(absolute.value),
    relative: relative === null ? null : sure(relative.value),
  };
}

/** Delta method for difference / control mean, where both share the control's visitors. */
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

const sure = (value: number): Estimate => ({ value, variance: null });
