import type { Interval } from '@switchyard/core/api/goals';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/** How long a bucket of goal progress is, in milliseconds. */
export const BUCKET_LENGTH: Readonly<Record<Interval, number>> = { hour: HOUR, day: DAY, week: 7 * DAY };

/** When one of them starts: the Unix epoch was a Thursday, and weeks start on Monday. */
export const BUCKET_ORIGIN: Readonly<Record<Interval, number>> = { hour: 0, day: 0, week: 4 * DAY };
