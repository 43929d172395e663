import { DAY_MS } from '@switchyard/core/time';

/** A clock further ahead than this is wrong, not early. */
const MAX_AHEAD_MS = DAY_MS;

/** The time of an event by the client's clock; the time of receipt when the client sent none or an implausible one. */
export function eventTime(timestamp: number | undefined, receivedAt: number): number {
  if (timestamp === undefined || timestamp > receivedAt + MAX_AHEAD_MS) return receivedAt;
  return Math.round(timestamp);
}
