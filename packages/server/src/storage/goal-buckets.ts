import type { Interval } from '@switchyard/core/api/goals';
import { DAY_MS, HOUR_MS } from '@switchyard/core/time';

/** Length of a bucket of a series, in milliseconds. */
export const BUCKET_LENGTH: Readonly<Record<Interval, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** Start of any one bucket: the Unix epoch was a Thursday, and weeks start on Monday. */
export const BUCKET_ORIGIN: Readonly<Record<Interval, number>> = { hour: 0, day: 0, week: 4 * DAY_MS };

/** Start of the bucket of a time. */
export function bucketStart(time: number, interval: Interval): number {
  const [origin, length] = [BUCKET_ORIGIN[interval], BUCKET_LENGTH[interval]];
  return Math.floor((time - origin) / length) * length + origin;
}
