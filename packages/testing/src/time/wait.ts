import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../../../server/src/platform/with-timeout.ts';

/** Only reached if something never happens: speed is measured in `bench`, not in tests. */
const TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 20;

/** Polls; resolves with the first result that is neither undefined nor false. */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await probe();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await sleep(POLL_INTERVAL_MS);
  }
}

/** The same promise, but with a timeout that names what was awaited. */
export function settled<T>(what: string, promise: Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
  return withTimeout(promise, timeoutMs, (): never => {
    throw new Error(`timed out waiting for ${what}`);
  });
}
