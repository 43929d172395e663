import type { Arm } from './arm.ts';
import type { Comparison } from './comparison.ts';
import { type JointEstimate, jointEstimate, requireSpread } from './joint-estimate.ts';
import { absoluteInterval, relativeInterval } from './mean-intervals.ts';
import { RateIntervals } from './rate-intervals.ts';
import type { Metric } from './sums.ts';

/** The relative change of a metric that cannot be negative is at least this. */
const LOWEST_CHANGE = -1;

/** A test of the difference between a variation and the control; its intervals contain what it does not reject. */
export interface Effect {
  /** Visitors of both arms. */
  readonly visitors: number;
  /** The statistic of "no difference", in standard errors; null if unknown. */
  readonly z: number | null;
  /** Of Student's t-distribution; null if the statistic is normal. */
  readonly degreesOfFreedom: number | null;
  readonly standardError: number | null;
  intervals(critical: number | null): Pick<Comparison, 'absolute' | 'relative'>;
}

/** The members of a comparison that follow from the effect and the critical value of a method. */
export const atCritical = ({ standardError, intervals }: Effect, critical: number | null) => ({
  ...intervals(critical),
  standardError,
});

export interface EffectOptions {
  readonly metric: Metric;
  /** For means and ratios; rates are never negative. */
  readonly nonNegative?: boolean | undefined;
}

const minimumChange = ({ metric, nonNegative = false }: EffectOptions): number | null =>
  metric === 'proportion' || nonNegative ? LOWEST_CHANGE : null;

/** For methods that rely on the normal approximation. Rates without a covariate use the score test. */
export function normalEffect(control: Arm, variation: Arm, options: EffectOptions): Effect {
  if (options.metric === 'proportion' && !control.isAdjusted && !variation.isAdjusted) {
    return scoreEffect(control, variation);
  }
  const joint = jointEstimate(control, variation);
  return waldEffect(joint && requireSpread(joint, control, variation), control, variation, options);
}

/** For the t-test, which is also defined if only one arm varies. */
export function studentEffect(control: Arm, variation: Arm, options: EffectOptions): Effect {
  const joint = jointEstimate(control, variation);
  const effect = waldEffect(joint, control, variation, options);
  return { ...effect, degreesOfFreedom: joint?.degreesOfFreedom ?? null };
}

function scoreEffect(control: Arm, variation: Arm): Effect {
  const visitors = control.n + variation.n;
  if (control.mean === null || variation.mean === null) return { ...UNKNOWN, visitors };
  const counts = ({ n, mean }: Arm) => ({ n, converted: mean! * n });
  const test = new RateIntervals(counts(control), counts(variation));
  return {
    visitors,
    z: test.z,
    degreesOfFreedom: null,
    standardError: rootOf(jointEstimate(control, variation)?.variance ?? null),
    intervals: (critical) => ({
      absolute: test.absolute(critical ?? Infinity),
      relative: test.relative(critical ?? Infinity),
    }),
  };
}

function waldEffect(
  joint: JointEstimate | null,
  control: Arm,
  variation: Arm,
  options: EffectOptions,
): Effect {
  const visitors = control.n + variation.n;
  if (joint === null) return { ...UNKNOWN, visitors };
  const standardError = rootOf(joint.variance);
  return {
    visitors,
    z: standardError === null ? null : joint.difference / standardError,
    degreesOfFreedom: null,
    standardError,
    intervals: (critical) => intervalsOf(joint, critical, options),
  };
}

export const intervalsOf = (joint: JointEstimate, critical: number | null, options: EffectOptions) => ({
  absolute: absoluteInterval(joint, critical),
  relative: relativeInterval(joint, critical, minimumChange(options)),
});

const rootOf = (variance: number | null) => (variance === null ? null : Math.sqrt(variance));

const UNKNOWN = {
  z: null,
  degreesOfFreedom: null,
  standardError: null,
  intervals: () => ({ absolute: null, relative: null }),
};
