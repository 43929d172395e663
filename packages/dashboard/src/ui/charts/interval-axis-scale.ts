import { linearScale } from './linear-scale.ts';

/** An estimate with its interval; an unknown or open end is null. */
export interface ChartInterval {
  estimate: number;
  low: number | null;
  high: number | null;
}

export interface IntervalScale {
  min: number;
  max: number;
  ticks: readonly number[];
  /** Position from the left in percent; values beyond the axis are at its end. */
  position: (value: number) => number;
}

/** An interval that is this much wider than the others is cut off, or the others would shrink to dots. */
const MAX_REACH = 4;

/** One axis for several intervals, with zero on it. */
export function intervalScale(intervals: readonly (ChartInterval | null)[]): IntervalScale {
  const known = intervals.filter((each) => each !== null);
  const estimates = known.map(({ estimate }) => estimate);
  const ends = known.flatMap(({ low, high }) => [low, high]).filter((end) => end !== null);
  const reach = Math.max(
    MAX_REACH * median(ends.map(Math.abs)),
    1.5 * Math.max(0, ...estimates.map(Math.abs)),
  );
  const [lowest, highest] = [Math.min(0, ...ends, ...estimates), Math.max(0, ...ends, ...estimates)];
  const [min, max] = [Math.max(lowest, -reach), Math.min(highest, reach)];
  const isFlat = min === max;
  const scale = linearScale(isFlat ? [-0.01, 0.01] : [min, max], [0, 100], 4);
  const [from, to] = scale.domain;
  const position = (value: number) => Math.min(Math.max(scale(value), 0), 100);
  return { min: from, max: to, ticks: scale.ticks, position };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
