import { numberOf } from './attribute-values.ts';

const ISO =
  /^(\d{4}-(\d\d)-(\d\d))(?:T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * A point in time as Unix milliseconds, from milliseconds (number or string) or ISO 8601. A date without a time is
 * midnight UTC, a time without a zone is UTC, and fractions beyond milliseconds are cut off. Stricter than
 * `Date.parse`, whose results for other texts differ between engines.
 *
 * @example parseInstant('2026-01-31T12:00:00+01:00') // 1769857200000
 */
export function parseInstant(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? ISO.exec(value) : null;
  if (!parts) return numberOf(value);
  const [, date, month, day, minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = parts;
  if (!isDay(Number(date?.slice(0, 4)), Number(month), Number(day))) return undefined;
  return Date.parse(`${date}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`);
}

/** Engines disagree on 30 February: some reject it, some move it into March. */
function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (leap ? 29 : 28) : 30 + ((month + (month >> 3)) & 1);
  return day <= days;
}
