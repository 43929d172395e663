import { HOUR_MS } from './time.ts';

/** The header `Retry-After` (seconds or a date) in milliseconds, at most an hour; 0 if it is missing or invalid. */
export function parseRetryAfter(value: string | null | undefined, now: number): number {
  if (!value) return 0;
  const ms = Number(value) * 1000 || Date.parse(value) - now || 0;
  return Math.min(Math.max(ms, 0), HOUR_MS);
}
