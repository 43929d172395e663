import { HOUR_MS } from '@switchyard/core/time';

/** Clients never queue events for longer than this, so an older time comes from a wrong clock. */
const MAX_AGE_MS = 72 * HOUR_MS;
const MAX_AHEAD_MS = 5 * 60 * 1000;

/** The max time value of a JavaScript `Date`. */
const MAX_DATE_MS = 8_640_000_000_000_000;

/** When an event happened; `clientAt` is the rejected client time if `at` is the time of receipt. */
interface EventTime {
  at: number;
  clientAt?: number;
}

/** Public keys are public, so a client time that is far from the server clock is not trusted. */
export function eventTime(timestamp: number | undefined, receivedAt: number): EventTime {
  if (timestamp === undefined) return { at: receivedAt };
  const clientAt = Math.round(Math.min(timestamp, MAX_DATE_MS));
  const isPlausible = clientAt >= receivedAt - MAX_AGE_MS && clientAt <= receivedAt + MAX_AHEAD_MS;
  return isPlausible ? { at: clientAt } : { at: receivedAt, clientAt };
}
