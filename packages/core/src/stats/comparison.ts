import type { Estimate } from './effect.ts';

/** Low and high are null when the data tells nothing about the spread. */
export interface Interval {
  readonly estimate: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** A variation beside the control; what a method does not define, or the data does not support, is null. */
export interface Comparison {
  readonly absolute: Interval | null;
  readonly relative: Interval | null;
  readonly pValue: number | null;
  /** Posterior probability that the variation's mean is the higher one. */
  readonly chanceToBeat: number | null;
  /** How much is lost on average by choosing the variation, in the unit of the metric. */
  readonly expectedLoss: number | null;
}

/** Whether the whole interval lies between -bound and bound. */
export function isWithin(interval: Interval | null, bound: number): boolean {
  if (interval === null || interval.low === null || interval.high === null) return false;
  return interval.low > -bound && interval.high < bound;
}

/** The estimate plus and minus a number of its standard errors. */
export function intervalOf(estimate: Estimate | null, critical: number | null): Interval | null {
  if (estimate === null) return null;
  if (estimate.variance === null || critical === null)
    return { estimate: estimate.value, low: null, high: null };
  const half = critical * Math.sqrt(estimate.variance);
  return { estimate: estimate.value, low: estimate.value - half, high: estimate.value + half };
}
