import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@switchyard/core/time';
import type { EventStore } from '../store/event-store.ts';

/** The pause after a step, as a multiple of its duration, so that other work gets the disk and CPU. */
const PAUSE_FACTOR = 4;

/**
 * Reads the whole event store in small steps after startup and then once a day. Otherwise a damaged block would
 * go unnoticed until a query reads it.
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
