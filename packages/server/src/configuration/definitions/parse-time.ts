import { parseInstant } from '@switchyard/core/evaluation/instant';

/** The end of the year 9999, the last with four digits in ISO 8601. */
const MAX_TIME = 253_402_300_799_999;

export const TIME_HINT = 'must be a time like 2026-01-31T12:00:00Z, or Unix milliseconds';

/** A time in a file as Unix milliseconds; undefined if it is none. */
export function parseTime(value: string | number): number | undefined {
  const time = parseInstant(value);
  return time !== undefined && Number.isInteger(time) && time >= 0 && time <= MAX_TIME ? time : undefined;
}
