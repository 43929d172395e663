import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../configuration/database/database.ts';
import { openDatabase } from '../../configuration/database/open-database.ts';
import { StoreLock } from '../../events/duckdb/connection/store-lock.ts';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { Journal } from '../../events/intake/journal/journal.ts';
import type { AcceptedRequest, JournalEntry } from '../../events/store/accepted-request.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { createBackup } from '../../operations/backup/create-backup.ts';
import { makeDataDirectory } from '../../platform/files/data-directory.ts';
import { directoryState } from './directory-state.ts';

const DIRECTORY = 'move.partial';
const READ = { rows: 5000, characters: 8 * 1024 * 1024 };
/** Nothing is added to the journal. */

/** A copy of a data directory, which can be read without disturbing its server. */
export interface EmbeddedCopy {
  database: Database;
  store: EventStore;
  /**
   * Does the work, while no server can start, if no server runs and nothing has been added since the copy was made;
   * else returns false.
   */
  ifUnchanged(work: () => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
}

/** Copies the data directory, with everything that was acknowledged before the call. */
export async function openEmbeddedCopy(dataDir: string, version: string): Promise<EmbeddedCopy> {
  const directory = join(dataDir, DIRECTORY);
  const discard = () => rm(directory, { recursive: true, force: true });
  try {
    // Of an interrupted run.
    await discard();
    makeDataDirectory(directory);
    await createBackup(dataDir, directory, version);
    const copied = directoryState(directory);
    const { database, close: closeDatabase } = await openDatabase(directory);
    const store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
    await loadJournal(join(directory, 'journal.db'), store);
    return {
      database,
      store,
      ifUnchanged: (work) =>
        whileStopped(dataDir, async () => {
          if (directoryState(dataDir) !== copied) return false;
          await work();
          return true;
        }),
      close: async () => {
        await store.close();
        await closeDatabase();
        await discard();
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function whileStopped(dataDir: string, work: () => Promise<boolean>): Promise<boolean> {
  let lock: StoreLock;
  try {
    lock = StoreLock.take(join(dataDir, 'events.duckdb'));
  } catch (error) {
    if ((error as { code?: unknown }).code === 'STORE_LOCKED') return false;
    throw error;
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function loadJournal(file: string, store: EventStore): Promise<void> {
  const watermark = await store.watermark(LOCAL_SOURCE);
  const journal = new Journal(file, { maxBytes: 0, source: LOCAL_SOURCE, watermark });
  try {
    for (let after = watermark; ; ) {
      const rows = journal.read(after, READ.rows, READ.characters);
      const last = rows.at(-1);
      if (last === undefined) return;
      await store.append(
        LOCAL_SOURCE,
        rows.map(
          ({ seq, payload }): JournalEntry => ({ seq, request: JSON.parse(payload) as AcceptedRequest }),
        ),
      );
      after = last.seq;
    }
  } finally {
    journal.close();
  }
}
