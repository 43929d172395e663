import type { Arm } from '../arm.ts';
import { normalCdf, normalLoss, normalSurvival, normalUpperQuantile } from '../distributions/normal.ts';
import { studentTwoSided, studentUpperQuantile } from '../distributions/student-t.ts';
import type { ReportInput } from '../report/report-input.ts';
import type { Metric } from '../sums.ts';
import { type Effect, type Estimate, effectOf, withSpreadOfBoth } from './effect.ts';

export type Settings = ReportInput['statistics'];

/** Low and high are null if the variance is unknown. */
export interface Interval {
  readonly estimate: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** A variation compared with the control. Null where the method or the data does not define a value. */
export interface Comparison {
  readonly absolute: Interval | null;
  readonly relative: Interval | null;
  readonly pValue: number | null;
  readonly chanceToBeat: number | null;
  readonly expectedLoss: number | null;
}

export const NO_COMPARISON: Comparison = {
  absolute: null,
  relative: null,
  pValue: null,
  chanceToBeat: null,
  expectedLoss: null,
};

export function compareArms(metric: Metric, control: Arm, variation: Arm, settings: Settings): Comparison {
  const effect = effectOf(control, variation);
  if (settings.engine === 'sequential') return compareSequentially(effect, settings);
  if (settings.engine === 'bayesian') return compareBayesian(effect, settings);
  if (metric === 'proportion') return compareProportions(effect, control, variation, settings);
  return compareMeans(effect, settings);
}

function compareSequentially(effect: Effect, settings: Settings): Comparison {
  const { absolute, relative, visitors } = withSpreadOfBoth(effect);
  const critical = sequentialCritical(visitors, settings);
  const known = absolute !== null && absolute.variance !== null;
  return {
    ...NO_COMPARISON,
    absolute: intervalOf(absolute, critical),
    relative: intervalOf(relative, critical),
    pValue: known ? sequentialPValue(absolute.value ** 2 / absolute.variance, visitors, settings) : null,
  };
}

/** Half the width of the confidence sequence after `visitors`, in standard errors. */
export function sequentialCritical(visitors: number, settings: Settings): number {
  const information = visitors * mixingVariance(settings);
  return Math.sqrt((1 + 1 / information) * (Math.log1p(information) - 2 * Math.log(settings.alpha)));
}

function sequentialPValue(zSquared: number, visitors: number, settings: Settings): number {
  const information = visitors * mixingVariance(settings);
  return Math.min(1, Math.exp(0.5 * (Math.log1p(information) - zSquared / (1 + 1 / information))));
}

function mixingVariance({ alpha, sequentialN }: Settings): number {
  const level = -2 * Math.log(alpha);
  return (level + Math.log1p(level)) / sequentialN;
}

/** Welch's t-test and its interval. */
function compareMeans({ absolute, relative, degreesOfFreedom }: Effect, { alpha }: Settings): Comparison {
  const critical = degreesOfFreedom === null ? null : studentUpperQuantile(alpha / 2, degreesOfFreedom);
  return {
    ...NO_COMPARISON,
    absolute: intervalOf(absolute, critical),
    relative: intervalOf(relative, critical),
    pValue:
      absolute === null || absolute.variance === null || degreesOfFreedom === null
        ? null
        : studentTwoSided(absolute.value / Math.sqrt(absolute.variance), degreesOfFreedom),
  };
}

/** The two-proportion z-test, which pools the arms, and the interval, which does not. */
function compareProportions(effect: Effect, control: Arm, variation: Arm, { alpha }: Settings): Comparison {
  const { absolute, relative } = effect;
  const critical = normalUpperQuantile(alpha / 2);
  const variance = pooledVariance(control, variation) ?? absolute?.variance ?? null;
  return {
    ...NO_COMPARISON,
    absolute: intervalOf(absolute, critical),
    relative: intervalOf(relative, critical),
    pValue:
      absolute === null || variance === null || variance === 0
        ? null
        : 2 * normalSurvival(Math.abs(absolute.value) / Math.sqrt(variance)),
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

const isAdjusted = ({ mean, adjustedMean, variance, rawVariance }: Arm) =>
  mean !== adjustedMean || variance !== rawVariance;

function compareBayesian(observed: Effect, { alpha, prior }: Settings): Comparison {
  const effect = withSpreadOfBoth(observed);
  const scale = effect.controlMean === null ? 0 : Math.abs(effect.controlMean);
  const absolute = posterior(effect.absolute, prior, scale);
  const critical = normalUpperQuantile(alpha / 2);
  const sd = absolute === null || absolute.variance === null ? null : Math.sqrt(absolute.variance);
  const z = absolute === null || sd === null ? null : absolute.value / sd;
  return {
    absolute: intervalOf(absolute, critical),
    relative: intervalOf(posterior(effect.relative, prior, 1), critical),
    pValue: null,
    chanceToBeat: z === null ? null : normalCdf(z),
    expectedLoss: z === null || sd === null ? null : sd * normalLoss(z),
  };
}

/** Combines data and prior by their precisions; a flat prior is null. */
function posterior(estimate: Estimate | null, prior: Settings['prior'], scale: number): Estimate | null {
  if (estimate === null || prior === null) return estimate;
  if (scale === 0) return null;
  if (estimate.variance === null) return estimate;
  const priorPrecision = 1 / (prior.sd * scale) ** 2;
  const dataPrecision = 1 / estimate.variance;
  const variance = 1 / (priorPrecision + dataPrecision);
  return {
    value: variance * (prior.mean * scale * priorPrecision + estimate.value * dataPrecision),
    variance,
  };
}

/** The estimate plus and minus `critical` standard errors. */
function intervalOf(estimate: Estimate | null, critical: number | null): Interval | null {
  if (estimate === null) return null;
  const { value, variance } = estimate;
  if (variance === null || critical === null) return { estimate: value, low: null, high: null };
  const halfWidth = critical * Math.sqrt(variance);
  return { estimate: value, low: value - halfWidth, high: value + halfWidth };
}

/** Whether the whole interval lies between -bound and bound. */
export function isWithin(interval: Interval | null, bound: number): boolean {
  if (interval === null || interval.low === null || interval.high === null) return false;
  return interval.low > -bound && interval.high < bound;
}
