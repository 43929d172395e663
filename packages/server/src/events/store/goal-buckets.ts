import type { Interval } from '@switchyard/core/api/goals';
import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { timeZone } from '@switchyard/core/time-zone';

/** Length of a bucket of a series, in milliseconds; a day on which clocks change is an hour shorter or longer. */
export const BUCKET_LENGTH: Readonly<Record<Interval, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** Start of any one bucket: the Unix epoch was a Thursday, and weeks start on Monday. */
const BUCKET_ORIGIN: Readonly<Record<Interval, number>> = { hour: 0, day: 0, week: 4 * DAY_MS };

export interface ZonedInterval {
  interval: Interval;
  /** IANA name. */
  timeZone: string;
}

/**
 * SQL for the start of the bucket of `happened_at`. Clock changes are looked up here: engines need no time zones.
 * @param modulo SQL for the remainder of an expression, never negative
 */
export function bucketOf(
  { interval, timeZone: zone, from = 0, to = Number.MAX_SAFE_INTEGER }: ZonedInterval & Partial<Period>,
  modulo: (expression: string, length: number) => string,
  integer: (start: number) => string = String,
): string {
  const aligned = (offset: number) =>
    `(happened_at - ${modulo(`(happened_at + ${offset - BUCKET_ORIGIN[interval]})`, BUCKET_LENGTH[interval])})`;
  const spans = timeZone(zone).bucketSpans(interval, from, to);
  const starts = spans.map((span) => ('start' in span ? integer(span.start) : aligned(span.offset)));
  if (starts.length === 1) return starts[0]!;
  const cases = spans
    .slice(0, -1)
    .map((span, index) => `WHEN happened_at < ${span.to} THEN ${starts[index]}`);
  return `(CASE ${cases.join(' ')} ELSE ${starts.at(-1)} END)`;
}

interface Period {
  from: number;
  to: number;
}
