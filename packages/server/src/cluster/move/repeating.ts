import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = { first: 500, max: 8000 };

/** A copy that takes hours must not end because of a short outage. */
export async function repeating<T>(work: () => Promise<T>): Promise<T> {
  for (let delay = RETRY_MS.first; ; delay *= 2) {
    try {
      return await work();
    } catch (error) {
      if (delay > RETRY_MS.max) throw error;
      await sleep(delay);
    }
  }
}
