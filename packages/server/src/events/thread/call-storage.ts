import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../platform/calls/remote-calls.ts';
import { StorageError } from '../../platform/errors/storage-error.ts';
import type { EventStore } from '../store/event-store.ts';
import type { OpenStorage } from './open-storage.ts';
import type { StorageMethods, StoreMethod } from './storage-messages.ts';

/** Pause between the steps of overwriting erased entries, so that commits come first. */
const STEP_PAUSE_MS = 10;

/** Runs a method that another thread called; the signal cancels queries. */
export async function callStorage(
  storage: OpenStorage,
  method: Exclude<keyof StorageMethods, 'sync'>,
  args: readonly unknown[],
  { signal }: Pick<Call, 'signal'>,
): Promise<unknown> {
  if (method === 'ping') return storage.store.ping();
  if (method === 'releaseJournal' || method === 'releaseFiles') return storage.hold[method]();
  if (storage.damage !== undefined) throw new StorageError('STORE_DAMAGED', storage.damage);
  if (method === 'holdFiles') return storage.hold.holdFiles();
  if (method === 'forget' || method === 'expire') return erase(storage, method, args);
  if (method === 'removeRemains') return storage.queue.run(() => exclusively(storage, method, args));
  // Reads see everything that has been acknowledged.
  await storage.loader.catchUp();
  return call(storage.store, method, [...args, signal]);
}

async function erase(
  storage: OpenStorage,
  method: 'forget' | 'expire',
  args: readonly unknown[],
): Promise<unknown> {
  try {
    return await storage.queue.run(() =>
      method === 'forget'
        ? scrubbing(storage, () => call(storage.store, 'forget', args))
        : exclusively(storage, method, args),
    );
  } finally {
    storage.changes++;
  }
}

const exclusively = ({ loader, store }: OpenStorage, method: StoreMethod, args: readonly unknown[]) =>
  loader.runExclusive(() => call(store, method, args));

/** Runs work on the event store when it has all entries; then overwrites what they left in the journal. */
export async function scrubbing<T>(
  { journal, loader }: Pick<OpenStorage, 'journal' | 'loader'>,
  work: () => Promise<T>,
): Promise<T> {
  // The journal table must be empty before `rotate`, so that `scrub` overwrites all its pages.
  await loader.loadAll();
  journal.rotate(Date.now());
  const result = await loader.runExclusive(work);
  await journal.scrub(() => sleep(STEP_PAUSE_MS));
  return result;
}

const call = (store: EventStore, method: StoreMethod, args: readonly unknown[]): Promise<unknown> =>
  (store[method] as (...args: unknown[]) => Promise<unknown>)(...args);
