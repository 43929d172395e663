import type { Database, DatabaseHandle } from '../../configuration/database/database.ts';
import { type EventStorage, openEventStorage } from '../../events/thread/event-storage.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { runPendingErasures } from './erasure-service.ts';

/** Data about events outside the event store. */
interface Copies {
  /** Adds other places that events were copied to. */
  everywhere: (eventStore: EventStoreClient) => Pick<EventStoreClient, 'forget'>;
  /** Deletes data about entries that no longer exist in the event store. */
  sweep: (
    stores: { database: Database; eventStore: EventStoreClient },
    propertyIds: readonly string[],
  ) => Promise<void>;
  /** Requests more erasures before they are carried out. */
  prepare?: (eventStore: EventStoreClient) => Promise<unknown>;
}

/** Carries out pending erasures; returns false if a running server holds the data directory. */
export async function runErasuresOffline(
  dataDir: string,
  handle: DatabaseHandle,
  { everywhere, sweep, prepare }: Copies,
): Promise<boolean> {
  const events = await openUnlessLocked(dataDir);
  if (events === undefined) return false;
  try {
    await prepare?.(events.eventStore);
    // A failure is recorded with the requests, where the caller reads it.
    const stores = { database: handle.database, eventStore: events.eventStore };
    await runPendingErasures(handle, everywhere(events.eventStore), (propertyIds) =>
      sweep(stores, propertyIds),
    ).catch(() => undefined);
  } finally {
    await events.close();
  }
  return true;
}

/** Undefined: a running server holds the data directory. */
export async function openUnlessLocked(dataDir: string): Promise<EventStorage | undefined> {
  try {
    return await openEventStorage({
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
