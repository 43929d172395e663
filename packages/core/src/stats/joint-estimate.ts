import type { Arm } from './arm.ts';

/** The difference of two arms and the base mean of the control, which are jointly normal. */
export interface JointEstimate {
  readonly difference: number;
  readonly controlMean: number;
  /** Variance of the difference; null if unknown. */
  readonly variance: number | null;
  /** Variance of the control's mean, and its covariance with the difference. */
  readonly controlVariance: number;
  readonly covariance: number;
  /** Welch–Satterthwaite; null without variance. */
  readonly degreesOfFreedom: number | null;
}

/** Null if an arm has no mean. */
export function jointEstimate(control: Arm, variation: Arm): JointEstimate | null {
  if (control.adjustedMean === null || variation.adjustedMean === null || control.baseMean === null)
    return null;
  const [ofControl, ofVariation] = [varianceOfMean(control), varianceOfMean(variation)];
  const total = ofControl === null || ofVariation === null ? 0 : ofControl + ofVariation;
  const isKnown = total > 0;
  return {
    difference: variation.adjustedMean - control.adjustedMean,
    controlMean: control.baseMean,
    variance: isKnown ? total : null,
    controlVariance: (control.rawVariance ?? 0) / control.n,
    covariance: -(control.rawCovariance ?? 0) / control.n,
    degreesOfFreedom: isKnown ? welch(control.n, ofControl!, variation.n, ofVariation!) : null,
  };
}

/**
 * For methods that use the normal approximation: if all visitors of an arm have the same value, its variance is
 * unknown, and the variance of the other arm alone would give false certainty.
 */
export function requireSpread(estimate: JointEstimate, control: Arm, variation: Arm): JointEstimate {
  const bothVary = (varianceOfMean(control) ?? 0) > 0 && (varianceOfMean(variation) ?? 0) > 0;
  return bothVary ? estimate : { ...estimate, variance: null, degreesOfFreedom: null };
}

function welch(n: number, variance: number, otherN: number, otherVariance: number): number {
  const total = variance + otherVariance;
  const [share, otherShare] = [variance / total, otherVariance / total];
  const part = share === 0 ? 0 : share ** 2 / (n - 1);
  const otherPart = otherShare === 0 ? 0 : otherShare ** 2 / (otherN - 1);
  return 1 / (part + otherPart);
}

const varianceOfMean = ({ variance, n }: Arm) => (variance === null ? null : variance / n);
