import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { chmod, constants, copyFile, open, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import type { HeldFiles } from '../../events/store/event-store.ts';
import { BACKUP_FILES, syncPath } from './manifest.ts';

const STORE = 'events.duckdb';
/** DuckDB's headers at the start of the file; every checkpoint writes one of them. */
const HEADER_BYTES = 3 * 4096;
const BUSY_MS = 5000;
/** For the manifest, and for what a running server adds meanwhile. */
const SPARE_BYTES = 16 * 1024 * 1024;
const MIB = 1024 * 1024;

/** Copies a SQLite database as of now, while others write to it. */
export function copySqlite(from: string, to: string): void {
  const connection = new DatabaseSync(from, { readOnly: true, timeout: BUSY_MS });
  try {
    connection.prepare('VACUUM INTO ?').run(to);
  } finally {
    connection.close();
  }
}

/** From a copy of the configuration: what can be computed today must not be possible with a backup later. */
export function removeDailySalts(path: string): void {
  const connection = new DatabaseSync(path);
  try {
    const table = connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'daily_salts'").get();
    if (table !== undefined) connection.exec('PRAGMA secure_delete = ON; DELETE FROM daily_salts');
  } finally {
    connection.close();
  }
}

/** Copies the event store in the held state; without a hold, nobody must be using it. */
export async function copyStore(dataDir: string, to: string, held: HeldFiles | undefined): Promise<void> {
  const file = join(dataDir, STORE);
  if (!existsSync(file)) return;
  const header = await headerOf(file);
  await copyPrivately(file, join(to, STORE));
  const logBytes = held?.logBytes ?? statSync(`${file}.wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (logBytes > 0) await copyStart(`${file}.wal`, join(to, `${STORE}.wal`), logBytes);
  if (!header.equals(await headerOf(file))) {
    throw new Error('The event store was written to disk during the backup. Try again at a quieter time.');
  }
}

/** Instantly where the file system can share blocks. The copy is readable by its owner only. */
export async function copyPrivately(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

async function headerOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer;
  } finally {
    await handle.close();
  }
}

async function copyStart(from: string, to: string, bytes: number): Promise<void> {
  await pipeline(createReadStream(from, { end: bytes - 1 }), createWriteStream(to, { mode: 0o600 }));
}

/** Makes the copies durable. */
export async function syncFiles(directory: string): Promise<void> {
  for (const name of BACKUP_FILES) {
    const path = join(directory, name);
    if (existsSync(path)) await syncPath(path);
  }
  await syncPath(directory);
}

/** Throws before anything is copied if the disk is too small. */
export async function assertSpace(from: string, to: string): Promise<void> {
  let needed = SPARE_BYTES;
  for (const name of [...BACKUP_FILES, 'journal.db-wal', 'marks.db-wal', 'config.db-wal']) {
    needed += (await stat(join(from, name)).catch(() => undefined))?.size ?? 0;
  }
  const { bavail, bsize } = await statfs(to);
  const free = bavail * bsize;
  if (free >= needed) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;
  throw new Error(`${to} has ${megabytes(free)} of free space, but ${megabytes(needed)} are needed.`);
}
