import type { Config } from './config.ts';
import { assertRestored } from './storage/backup/interrupted-restore.ts';
import { makeDataDirectory } from './storage/data-directory.ts';
import { assertUsable } from './storage/move/moved-directory.ts';

/** Creates the directory if needed; throws if no server may use it. */
export function prepareDataDirectory({ dataDir, databaseUrl }: Config): void {
  // By default the engines create files that every user can read, and DATA_DIR may be readable too.
  process.umask(0o077);
  makeDataDirectory(dataDir);
  assertRestored(dataDir);
  assertUsable(dataDir, databaseUrl !== undefined);
}
