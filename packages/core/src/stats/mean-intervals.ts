import { type Interval, unknownInterval } from './comparison.ts';
import type { JointEstimate } from './joint-estimate.ts';

/** The difference plus and minus `critical` standard errors. */
export function absoluteInterval({ difference, variance }: JointEstimate, critical: number | null): Interval {
  if (variance === null || critical === null || !Number.isFinite(critical))
    return unknownInterval(difference);
  const halfWidth = critical * Math.sqrt(variance);
  return { estimate: difference, low: difference - halfWidth, high: difference + halfWidth };
}

/**
 * Fieller's interval of difference / control mean: all ratios r for which difference - r · mean is within `critical`
 * standard errors of zero. At r = 0 this is the test of the absolute difference, so both intervals always agree on
 * whether there is a difference. `min` is the lowest possible ratio. Null if the control's mean is zero.
 */
export function relativeInterval(
  joint: JointEstimate,
  critical: number | null,
  min: number | null,
): Interval | null {
  const { difference, controlMean, variance } = joint;
  if (controlMean === 0) return null;
  const estimate = difference / controlMean;
  if (variance === null || critical === null || !Number.isFinite(critical)) return unknownInterval(estimate);
  const { low, high } = solve(joint, variance, critical, estimate);
  // An adjusted estimate can be below the minimum; then nothing is cut.
  const isCut = min !== null && min <= estimate;
  return {
    estimate,
    low: isCut ? Math.max(low, min) : Number.isFinite(low) ? low : null,
    high: Number.isFinite(high) ? high : null,
  };
}

/** The ratios r with a·r² - 2·b·r + c ≤ 0; an infinite bound is open. */
function solve(
  joint: JointEstimate,
  variance: number,
  critical: number,
  estimate: number,
): { low: number; high: number } {
  const { difference: d, controlMean: m, controlVariance, covariance } = joint;
  const squared = critical * critical;
  const halfWidth = critical * Math.sqrt(variance);
  const a = m * m - squared * controlVariance;
  const b = d * m - squared * covariance;
  // As the product of the absolute bounds, so that both intervals agree on zero even after rounding.
  const c = (d - halfWidth) * (d + halfWidth);
  // b² - a·c without its cancelling terms.
  const spread = variance * m * m - 2 * covariance * d * m + controlVariance * d * d;
  const discriminant = spread - squared * (controlVariance * variance - covariance * covariance);
  const everything = { low: -Infinity, high: Infinity };
  if (discriminant < 0) return everything;
  const q = b + (b < 0 ? -1 : 1) * critical * Math.sqrt(discriminant);
  const [first, second] = [q / a, c / q].toSorted((x, y) => x - y) as [number, number];
  if (a > 0) return { low: first, high: second };
  // The control's mean may be zero: the ratios below the first and above the second root are possible.
  const isAbove = estimate >= second;
  const includesZero = c <= 0;
  const zeroIsAbove = second <= 0;
  if (includesZero && isAbove !== zeroIsAbove) return everything;
  return isAbove ? { low: second, high: Infinity } : { low: -Infinity, high: first };
}
