import { setTimeout as sleep } from 'node:timers/promises';
import { scrubbing } from './call-storage.ts';
import type { OpenStorage } from './open-storage.ts';

const CHECK_MS = 1000;
const RETRY_MS = 60_000;

/**
 * Overwrites what stored requests have left in the journal, within a day: only the event store knows when they expire.
 * Every node does so for its own.
 */
export async function scrubJournalDaily(
  storage: OpenStorage,
  onError: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let failure: string | undefined;
  while (!signal.aborted) {
    try {
      if (storage.damage === undefined && storage.journal.isScrubDue(Date.now())) {
        await storage.queue.run(() => scrubbing(storage, async () => undefined));
      }
      failure = undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== failure && !signal.aborted) onError(message);
      failure = message;
    }
    await sleep(failure === undefined ? CHECK_MS : RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
