const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;

/** Whether the same request may succeed later. Status 0 means that there was no response. */
export function isTransient(status: number): boolean {
  return status >= 500 || [0, 408, 409, 425, 429].includes(status);
}

/** Delay after failed attempt number `attempt`; never shorter than `Retry-After`. */
export function retryDelay(attempt: number, retryAfterMs: number, random: () => number): number {
  const maxDelay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  // Half of it is random, so that clients that failed together do not retry together.
  return Math.max(retryAfterMs, (maxDelay * (1 + random())) / 2);
}
