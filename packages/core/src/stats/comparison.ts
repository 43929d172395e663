import type { Estimate } from './effect.ts';

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
  /** Posterior probability that the mean of the variation is higher. */
  readonly chanceToBeat: number | null;
  /** Average loss from choosing the variation, in the unit of the metric. */
  readonly expectedLoss: number | null;
}

/** Whether the whole interval lies between -bound and bound. */
export function isWithin(interval: Interval | null, bound: number): boolean {
  if (interval === null || interval.low === null || interval.high === null) return false;
  return interval.low > -bound && interval.high < bound;
}

/** The estimate plus and minus `critical` standard errors. */
export function intervalOf(estimate: Estimate | null, critical: number | null): Interval | null {
  if (estimate === null) return null;
  if (estimate.variance === null || critical === null)
    return { estimate: estimate.value, low: null, high: null };
  const halfWidth = critical * Math.sqrt(estimate.variance);
  return { estimate: estimate.value, low: estimate.value - halfWidth, high: estimate.value + halfWidth };
}
