import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { fileError } from '../../file-error.ts';

/**
 * Says that a process has the event store, from open to close. DuckDB's own lock is not enough: it goes with the
 * file, and while a rewritten file is put in its place there is a moment at which anybody could take it.
 * The lock is SQLite's, on an empty file beside the store, because Node has none; the system frees it after a crash.
 */
export class StoreLock {
  readonly #holder: DatabaseSyncInstance;

  private constructor(holder: DatabaseSyncInstance) {
    this.#holder = holder;
  }

  static take(storeFile: string): StoreLock {
    const file = `${storeFile}.lock`;
    let holder: DatabaseSyncInstance | undefined;
    try {
      holder = new DatabaseSync(file);
      holder.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return new StoreLock(holder);
    } catch (error) {
      holder?.close();
      throw isBusy(error) ? lockedError(error) : fileError(file, error);
    }
  }

  release(): void {
    this.#holder.close();
  }
}

export function lockedError(cause: unknown): Error {
  return Object.assign(
    new Error(`Another process has the event store open: ${(cause as Error).message}`, { cause }),
    { code: 'STORE_LOCKED' },
  );
}

const isBusy = (error: unknown) => error instanceof Error && /database is locked/.test(error.message);
