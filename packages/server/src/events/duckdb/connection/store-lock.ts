import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { fileError } from '../../../platform/errors/file-error.ts';

/**
 * Exclusive lock on the event store while it is open. DuckDB's own lock is not enough: it belongs to the file, and
 * another process could take it while a rewritten file is swapped in.
 * Uses SQLite's lock on an empty file next to the store, because Node has no file locks; the OS frees it after a crash.
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
      throw isBusy(error) ? lockedError(inUse(dirname(storeFile)), error) : fileError(file, error);
    }
  }

  release(): void {
    this.#holder.close();
  }
}

const inUse = (dataDir: string) =>
  `Another Switchyard server is using this DATA_DIR (${dataDir}). Stop it first, or use another directory.`;

export function lockedError(message: string, cause: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: 'STORE_LOCKED' });
}

const isBusy = (error: unknown) => error instanceof Error && /database is locked/.test(error.message);
