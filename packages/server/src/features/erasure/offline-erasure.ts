import type { DatabaseHandle } from '../../storage/database.ts';
import { EventLog } from '../../storage/event-log.ts';
import { runPendingErasures } from './erasure-service.ts';

/** Carries out pending erasures when no server does; false when one holds the data directory. */
export async function runErasuresOffline(dataDir: string, handle: DatabaseHandle): Promise<boolean> {
  const events = await openUnlessServed(dataDir);
  if (events === undefined) return false;
  try {
    // A failure is recorded with the requests; the caller looks at its own.
    await runPendingErasures(handle, events.eventStore, () => undefined).catch(() => undefined);
  } finally {
    await events.close();
  }
  return true;
}

async function openUnlessServed(dataDir: string): Promise<EventLog | undefined> {
  try {
    return await EventLog.open({
      dataDir,
      maxBytes: Number.MAX_SAFE_INTEGER,
      log: (_level, message) => console.error(message),
      onFailure: (error) => console.error(error.message),
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'STORE_LOCKED') return undefined;
    throw error;
  }
}
