/**
 * Low and high are null if unknown. In a relative interval, a single null is an open end: the mean of the control is
 * too uncertain to bound the ratio.
 */
export interface Interval {
  readonly estimate: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** A variation compared with the control. Null where the method or the data does not define a value. */
export interface Comparison {
  readonly absolute: Interval | null;
  readonly relative: Interval | null;
  /** Of the absolute difference. */
  readonly standardError: number | null;
  readonly pValue: number | null;
  /** Posterior probability that the mean of the variation is higher. */
  readonly chanceToBeat: number | null;
  /** Average loss from choosing the variation, in the unit of the metric. */
  readonly expectedLoss: number | null;
}

export const NO_COMPARISON: Comparison = {
  absolute: null,
  relative: null,
  standardError: null,
  pValue: null,
  chanceToBeat: null,
  expectedLoss: null,
};

export const unknownInterval = (estimate: number): Interval => ({ estimate, low: null, high: null });

/** Whether the whole interval lies between -bound and bound. */
export function isWithin(interval: Interval | null, bound: number): boolean {
  if (interval === null || interval.low === null || interval.high === null) return false;
  return interval.low > -bound && interval.high < bound;
}

/** Whether the interval is known and zero is outside. */
export function excludesZero(interval: Interval | null): boolean {
  if (interval === null) return false;
  return (interval.low !== null && interval.low > 0) || (interval.high !== null && interval.high < 0);
}

/** Every figure of a comparison is a number or null: what overflows, or cannot be computed, is unknown. */
export function finiteComparison(comparison: Comparison): Comparison {
  return {
    absolute: finiteInterval(comparison.absolute),
    relative: finiteInterval(comparison.relative),
    standardError: finite(comparison.standardError),
    pValue: finite(comparison.pValue),
    chanceToBeat: finite(comparison.chanceToBeat),
    expectedLoss: finite(comparison.expectedLoss),
  };
}

const finite = (value: number | null) => (value !== null && Number.isFinite(value) ? value : null);

function finiteInterval(interval: Interval | null): Interval | null {
  if (interval === null || !Number.isFinite(interval.estimate)) return null;
  return { estimate: interval.estimate, low: finite(interval.low), high: finite(interval.high) };
}
