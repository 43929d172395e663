import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreLock } from '../../events/duckdb/connection/store-lock.ts';
import { type HeldFiles, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { fileExists } from '../../platform/files/file-exists.ts';
import { BackupConnection } from './backup-connection.ts';
import { assertSpace, copySqlite, copyStore, removeDailySalts, syncFiles } from './copy-files.ts';
import { inspectBackup } from './inspect-backup.ts';
import { type Manifest, writeManifest } from './manifest.ts';

/** How long to wait for a server that is starting or stopping. */
const START_MS = 10_000;
const RETRY_MS = 100;

/** The data directory, held by its server or, if none is running, by this process. */
interface Source {
  files?: HeldFiles;
  releaseJournal(): Promise<void>;
  /** Throws if the files may have changed. */
  assertHeld(): void;
  release(): void;
}

/**
 * Copies a data directory into an empty directory and verifies the copy, while a server may be using it. The event
 * store is held in one state, and the journal has everything that was acknowledged after that state; so it is copied
 * after the hold began, together with its idempotency keys. The configuration comes last: what it says about erasures
 * is true for the copied store.
 */
export async function createBackup(dataDir: string, directory: string, version: string): Promise<Manifest> {
  if (!fileExists(join(dataDir, 'journal.db')) || !fileExists(join(dataDir, 'config.db'))) {
    throw new Error(`${dataDir} has no data of a Switchyard server. Pass its directory with --data-dir.`);
  }
  await assertSpace(dataDir, directory);
  const source = await openSource(dataDir);
  let createdAt: string;
  try {
    copySqlite(join(dataDir, 'journal.db'), join(directory, 'journal.db'));
    // After the journal: what moves from there to here meanwhile is in both, and not in none.
    const marks = join(dataDir, 'marks.db');
    if (fileExists(marks)) copySqlite(marks, join(directory, 'marks.db'));
    await source.releaseJournal();
    await copyStore(dataDir, directory, source.files);
    createdAt = new Date().toISOString();
    copySqlite(join(dataDir, 'config.db'), join(directory, 'config.db'));
    removeDailySalts(join(directory, 'config.db'));
    source.assertHeld();
  } finally {
    source.release();
  }
  await syncFiles(directory);
  const contents = await inspectBackup(directory);
  if (source.files !== undefined && contents.position.store !== (source.files.positions[LOCAL_SOURCE] ?? 0)) {
    throw new Error('The copy of the event store differs from what the server had stored. Try again.');
  }
  return writeManifest(directory, { version, createdAt, contents });
}

async function openSource(dataDir: string): Promise<Source> {
  for (const deadline = performance.now() + START_MS; ; ) {
    const source = (await holdByServer(dataDir)) ?? holdByLock(dataDir);
    if (source !== undefined) return source;
    if (performance.now() > deadline) {
      throw new Error(
        `A server is using ${dataDir}, but does not answer on control.sock there; its log says why. ` +
          'Stop it to make a backup without it.',
      );
    }
    await sleep(RETRY_MS);
  }
}

async function holdByServer(dataDir: string): Promise<Source | undefined> {
  const connection = await BackupConnection.open(dataDir);
  if (connection === undefined) return undefined;
  const files = await connection.hold().catch((error: unknown) => {
    connection.close();
    throw error;
  });
  return {
    files,
    releaseJournal: () => connection.releaseJournal(),
    assertHeld: () => connection.assertOpen(),
    release: () => connection.close(),
  };
}

function holdByLock(dataDir: string): Source | undefined {
  try {
    const lock = StoreLock.take(join(dataDir, 'events.duckdb'));
    return { releaseJournal: async () => {}, assertHeld: () => {}, release: () => lock.release() };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'STORE_LOCKED') return undefined;
    throw error;
  }
}
