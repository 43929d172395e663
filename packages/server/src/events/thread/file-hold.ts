import { setTimeout as sleep } from 'node:timers/promises';
import type { FileQueue } from '../../platform/threads/file-queue.ts';
import type { Journal } from '../intake/journal/journal.ts';
import type { Loader } from '../intake/loader.ts';
import type { EventStore, HeldFiles } from '../store/event-store.ts';

/** Pause between deletions of held entries, so that commits come first. */
const PAUSE_MS = 10;

interface HeldStorage {
  journal: Journal;
  loader: Loader;
  store: EventStore;
  queue: FileQueue;
}

/**
 * Keeps the files of the event store in one state while a backup copies them, and the journal entries that follow that
 * state. Events are still acknowledged and loaded; erasures wait.
 */
export class FileHold {
  readonly #storage: HeldStorage;
  #release: (() => void) | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(storage: HeldStorage) {
    this.#storage = storage;
  }

  holdFiles(): Promise<HeldFiles> {
    if (this.#release !== undefined) return Promise.reject(new Error('Another backup is running.'));
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    return new Promise((resolve, reject) => {
      const work = async () => {
        resolve(await this.#begin());
        await released;
      };
      this.#ended = this.#storage.queue.run(() =>
        work()
          .catch(reject)
          .finally(() => this.#end()),
      );
    });
  }

  /** Called when the journal is copied, long before a large store is: held entries take space. */
  releaseJournal(): Promise<void> {
    return this.#storage.journal.releaseEntries(() => sleep(PAUSE_MS));
  }

  async releaseFiles(): Promise<void> {
    this.#release?.();
    await this.#ended;
  }

  #begin(): Promise<HeldFiles> {
    const { journal, loader, store } = this.#storage;
    return loader.runExclusive(async () => {
      const held = await store.holdFiles();
      journal.holdEntries(held.positions[journal.source] ?? 0);
      return held;
    });
  }

  /** Fails only if a file cannot be written any more, which the next commit or batch reports. */
  async #end(): Promise<void> {
    await this.releaseJournal().catch(() => undefined);
    await this.#storage.store.releaseFiles().catch(() => undefined);
    this.#release = undefined;
  }
}
