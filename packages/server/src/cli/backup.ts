import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { createBackup } from '../operations/backup/create-backup.ts';
import type { Manifest } from '../operations/backup/manifest.ts';
import { readVersion } from '../platform/version.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';
import { CliError } from './output/cli-error.ts';
import { describeBackup, rejectNodes, verifiedManifest } from './stored-data/existing-backup.ts';

export function backupCommand(command: Command): void {
  command
    .argument('<directory>', 'where to put the backup; created if needed')
    .option('--verify', 'verify an existing backup instead of making one')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The backup contains every request that was acknowledged before the command started. It contains secrets, such as the
hashes of passwords: only its owner can read it. Run it as the user of the server.

Exit codes: 0 made and verified, 1 failed (nothing is left behind) or damaged.

Examples:
  $ switchyard backup /backups/$(date +%F)
  $ switchyard backup --verify /backups/2026-01-31`,
    )
    .action(backup);
}

interface BackupOptions {
  dataDir: string;
  verify?: boolean;
  json?: boolean;
}

/** As shells report a process that was ended by Ctrl-C. */
const INTERRUPTED = 130;

async function backup(directory: string, options: BackupOptions): Promise<void> {
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
