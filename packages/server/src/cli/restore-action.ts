import { resolve } from 'node:path';
import { restoreBackup } from '../storage/backup/restore-backup.ts';
import { describeBackup, rejectNodes, verifiedManifest } from './backup-action.ts';
import { CliError } from './cli-error.ts';

export interface RestoreOptions {
  dataDir: string;
  json?: boolean;
}

export async function restore(directory: string, options: RestoreOptions): Promise<void> {
  rejectNodes();
  const dataDir = resolve(options.dataDir);
  const manifest = await verifiedManifest(resolve(directory));
  // Files written here are readable by their owner only.
  process.umask(0o077);
  try {
    await restoreBackup(resolve(directory), dataDir, manifest);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'STORE_LOCKED') throw error;
    throw new CliError(`A server is using ${dataDir}. Stop it first, or pass another directory.`);
  }
  if (options.json) return console.log(JSON.stringify({ dataDir, ...manifest }));
  console.log(`Restored into ${dataDir}:\n${describeBackup(manifest)}

Next:
  1. Start the server with DATA_DIR=${dataDir}
  2. Repeat what was done after ${manifest.createdAt}: changes of configuration, and erasures above all, because the
     backup still has that data.`);
}
