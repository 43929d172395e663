import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { databasePath, readDatabase } from '../configuration/database/open-database.ts';
import { findErasure } from '../features/erasure/erasure-store.ts';
import { requestSuppressedErasures } from '../features/erasure/reapply-suppressions.ts';
import { exportSuppressions, type SuppressionFile } from '../features/erasure/suppression-file.ts';
import { mergeSuppressions } from '../features/erasure/suppression-store.ts';
import { restoreBackup } from '../operations/backup/restore-backup.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';
import { CliError } from './output/cli-error.ts';
import { eraseOffline } from './stored-data/erase-offline.ts';
import { describeBackup, rejectNodes, verifiedManifest } from './stored-data/existing-backup.ts';
import { readSuppressionFile } from './stored-data/read-suppression-file.ts';
import { openConfigured, withDatabase } from './stored-data/with-database.ts';

export function restoreCommand(command: Command): void {
  command
    .argument('<directory>', 'the backup')
    .option(
      '--suppressions <path>',
      'a file of "suppressions export", or the data directory that is replaced: erase its people again',
    )
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Verifies the backup first. People who were erased after the backup was made are in it: with --suppressions they are
erased again, and stay suppressed. Refuses if the data directory has data or is in use. Run it as the user of the server.

Exit codes: 0 restored, 1 failed (the data directory has no data, as before).

Example:
  $ switchyard restore /backups/2026-01-31 --data-dir /var/lib/switchyard`,
    )
    .action(restore);
}

interface RestoreOptions {
  dataDir: string;
  json?: boolean;
  suppressions?: string;
}

async function restore(directory: string, options: RestoreOptions): Promise<void> {
  rejectNodes();
  const dataDir = resolve(options.dataDir);
  // Before anything is changed: a mistyped path must not leave erased people in the restored data.
  const list = options.suppressions === undefined ? undefined : await readList(options.suppressions);
  const manifest = await verifiedManifest(resolve(directory));
  // Files written here are readable by their owner only.
  process.umask(0o077);
  try {
    await restoreBackup(resolve(directory), dataDir, manifest);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'STORE_LOCKED') throw error;
    throw new CliError(`A server is using ${dataDir}. Stop it first, or pass another directory.`);
  }
  const erased = list === undefined ? undefined : await eraseAgain(dataDir, list);
  if (options.json) {
    return console.log(JSON.stringify({ dataDir, ...manifest, ...(erased !== undefined && { erased }) }));
  }
  const erasures =
    erased === undefined
      ? `changes of configuration, and erasures above all, because the
     backup still has that data.`
      : `changes of configuration. What was erased since was erased again
     (${erased} ${erased === 1 ? 'erasure' : 'erasures'}).`;
  console.log(`Restored into ${dataDir}:\n${describeBackup(manifest)}

Next:
  1. Start the server with DATA_DIR=${dataDir}
  2. Repeat what was done after ${manifest.createdAt}: ${erasures}`);
}

async function readList(path: string): Promise<SuppressionFile> {
  const file = resolve(path);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    return readDatabase({ path: databasePath(file) }, exportSuppressions);
  }
  return readSuppressionFile(file);
}

/** Returns the number of erasures. */
function eraseAgain(dataDir: string, { salt, entries }: SuppressionFile): Promise<number> {
  if (salt === null) return Promise.resolve(0);
  return withDatabase(openConfigured(dataDir), async (handle) => {
    await mergeSuppressions(handle.database, salt, entries);
    let requested: string[] = [];
    await eraseOffline(dataDir, handle, async (eventStore) => {
      requested = await requestSuppressedErasures(handle.database, eventStore);
    });
    for (const id of requested) {
      const erasure = await findErasure(handle.database, id);
      if (erasure?.finishedAt != null) continue;
      throw new CliError(
        `An erasure failed: ${erasure?.error}. The server will retry it when it is started.`,
      );
    }
    return requested.length;
  });
}
