import { DAY_MS, HOUR_MS } from '@switchyard/core/time';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Waiting time after each failed attempt; about 24 hours in total. */
const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

/** Up to a fifth more, so that deliveries that failed together are not repeated together. */
const JITTER = 0.2;

/** No next attempt is later than this. */
export const MAX_DELAY_MS = Math.max(...DELAYS_MS) * (1 + JITTER);

/** Deliveries that have been pending for longer are given up, even if it was never their turn. */
export const MAX_PENDING_MS = 1.5 * DAY_MS;

/** Time until the next attempt; undefined: that was the last one. */
export function retryDelay(attempts: number, retryAfterMs: number, random: () => number): number | undefined {
  const delay = DELAYS_MS[attempts - 1];
  if (delay === undefined) return undefined;
  return Math.round(Math.max(delay * (1 + JITTER * random()), retryAfterMs));
}
