import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@switchyard/core/time';
import type { EventStore } from './event-store.ts';

/** Of the time that a piece took: others have the disk and the processors for the rest. */
const PAUSE_FACTOR = 4;

/**
 * Reads the whole event store soon after the start and then once a day, in small pieces: a damaged block would
 * otherwise show only when somebody asks for just what is in it.
 */
export async function verifyDaily(
  store: EventStore,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const wait = (ms: number) => sleep(ms, undefined, { signal });
  while (!signal.aborted) {
    try {
      await store.verify((tookMs) => wait(PAUSE_FACTOR * tookMs));
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await wait(DAY_MS).catch(() => undefined);
  }
}
