import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createBackup } from '../storage/backup/create-backup.ts';
import { inspectBackup } from '../storage/backup/inspect-backup.ts';
import { bytesOf, type Manifest, readManifest, verifyChecksums } from '../storage/backup/manifest.ts';
import { readVersion } from '../version.ts';
import { CliError } from './cli-error.ts';
import { databaseUrl } from './with-database.ts';

export interface BackupOptions {
  dataDir: string;
  verify?: boolean;
  json?: boolean;
}

const MIB = 1024 * 1024;
/** As shells report a process that was ended by Ctrl-C. */
const INTERRUPTED = 130;

export async function backup(directory: string, options: BackupOptions): Promise<void> {
  const startedAt = performance.now();
  if (!options.verify) rejectNodes();
  const target = resolve(directory);
  const manifest = options.verify
    ? await verifiedManifest(target)
    : await create(resolve(options.dataDir), target);
  const durationMs = Math.round(performance.now() - startedAt);
  if (options.json) return console.log(JSON.stringify({ directory: target, durationMs, ...manifest }));
  console.log(`${options.verify ? 'The backup is intact' : 'Made and verified a backup'}: ${target}`);
  console.log(`${describeBackup(manifest)}\nDuration: ${(durationMs / 1000).toFixed(1)} s`);
}

/** What several nodes have in common is not in a data directory. */
export function rejectNodes(): void {
  if (databaseUrl() === undefined) return;
  throw new CliError(
    'DATABASE_URL is set, so the configuration is in PostgreSQL and the events are in ClickHouse. Use their own ' +
      'tools: pg_dump and pg_restore for PostgreSQL, BACKUP and RESTORE for ClickHouse.',
  );
}

/** The manifest of a backup whose files are intact and belong together. */
export async function verifiedManifest(directory: string): Promise<Manifest> {
  const manifest = await readManifest(directory);
  await verifyChecksums(directory, manifest);
  await inspectBackup(directory);
  return manifest;
}

export function describeBackup(manifest: Manifest): string {
  const { properties, events, pendingRequests } = manifest.contents;
  const count = (number: number) => number.toLocaleString('en-US');
  const pending =
    pendingRequests === 0 ? '' : `, and ${count(pendingRequests)} requests that the next start loads`;
  return [
    `Made: ${manifest.createdAt}, by version ${manifest.version}`,
    `Properties: ${count(properties)}`,
    `Events: ${count(events)}${pending}`,
    `Size: ${(bytesOf(manifest) / MIB).toFixed(1)} MiB`,
  ].join('\n');
}

async function create(dataDir: string, directory: string): Promise<Manifest> {
  // Files written here are readable by their owner only.
  process.umask(0o077);
  let discard = () => {};
  const interrupt = () => {
    discard();
    console.error('switchyard: The backup was interrupted; nothing is left behind.');
    process.exit(INTERRUPTED);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // Before the directory exists: without a handler, a signal ends the process at once.
  for (const signal of signals) process.once(signal, interrupt);
  try {
    const isNew = makeEmptyDirectory(directory);
    discard = () => discardBackup(directory, isNew);
    return await createBackup(dataDir, directory, readVersion());
  } catch (error) {
    discard();
    if (error instanceof CliError) throw error;
    throw new CliError(`The backup failed. ${explain(error as NodeJS.ErrnoException, directory)}`);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

function discardBackup(directory: string, isNew: boolean): void {
  try {
    for (const name of readdirSync(directory))
      rmSync(join(directory, name), { recursive: true, force: true });
    if (isNew) rmdirSync(directory);
  } catch (error) {
    // What made the backup fail matters more.
    console.error(`switchyard: Cannot empty ${directory}: ${(error as Error).message}`);
  }
}

function makeEmptyDirectory(directory: string): boolean {
  try {
    const isNew = mkdirSync(directory, { recursive: true }) !== undefined;
    if (readdirSync(directory).length === 0) return isNew;
  } catch (error) {
    throw new CliError(`Cannot create ${directory}: ${(error as Error).message}`);
  }
  throw new CliError(`${directory} is not empty. Pass a new or empty directory.`);
}

function explain({ code, message }: NodeJS.ErrnoException, directory: string): string {
  const isFull = code === 'ENOSPC' || /database or disk is full/.test(message);
  return isFull ? `There is not enough free space in ${directory}.` : message;
}
