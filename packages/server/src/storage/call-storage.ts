import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from './event-store.ts';
import { StorageError } from './storage-error.ts';
import type { HoldMethod, StoreMethod } from './storage-messages.ts';
import type { StorageParts } from './storage-parts.ts';

/** Pause between the steps of overwriting erased entries, so that commits come first. */
const STEP_PAUSE_MS = 10;

/** Runs a method that another thread called. */
export async function callStorage(
  storage: StorageParts,
  method: StoreMethod | HoldMethod,
  args: unknown[],
): Promise<unknown> {
  if (method === 'ping') return storage.store.ping();
  if (method === 'releaseJournal' || method === 'releaseFiles') return storage.hold[method]();
  if (storage.damage !== undefined) throw new StorageError('STORE_DAMAGED', storage.damage);
  if (method === 'holdFiles') return storage.hold.holdFiles();
  if (method === 'forget' || method === 'expire') return erase(storage, method, args);
  // Reads see everything that has been acknowledged.
  await storage.loader.catchUp();
  return call(storage.store, method, args);
}

async function erase(storage: StorageParts, method: 'forget' | 'expire', args: unknown[]): Promise<unknown> {
  try {
    return await storage.queue.run(() => (method === 'forget' ? forget : expire)(storage, args));
  } finally {
    storage.changes++;
  }
}

const expire = ({ loader, store }: StorageParts, args: unknown[]): Promise<unknown> =>
  loader.runExclusive(() => call(store, 'expire', args));

async function forget({ journal, loader, store }: StorageParts, args: unknown[]): Promise<unknown> {
  // The journal table must be empty before `rotate`, so that `scrub` overwrites all its pages.
  await loader.loadAll();
  journal.rotate();
  const erased = await loader.runExclusive(() => call(store, 'forget', args));
  await journal.scrub(() => sleep(STEP_PAUSE_MS));
  return erased;
}

const call = (store: EventStore, method: StoreMethod, args: unknown[]): Promise<unknown> =>
  (store[method] as (...args: unknown[]) => Promise<unknown>)(...args);
