import { nice, ticks } from 'd3-array';

export interface LinearScale {
  (value: number): number;
  /** Round limits that include all values. */
  domain: readonly [number, number];
  ticks: readonly number[];
}

/**
 * Maps values to positions, with round limits. The scale of d3-scale does the same, but brings the interpolation of
 * colors and number formats along, which are most of its size.
 */
export function linearScale(
  values: readonly [number, number],
  [first, last]: readonly [number, number],
  count: number,
): LinearScale {
  const [low, high] = nice(values[0], values[1], count);
  const scale = (value: number) => first + ((value - low) / (high - low)) * (last - first);
  return Object.assign(scale, { domain: [low, high] as const, ticks: ticks(low, high, count) });
}
