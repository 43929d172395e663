import { assertUsable } from '../cluster/move/moved-directory.ts';
import { assertRestored } from '../operations/backup/interrupted-restore.ts';
import { makeDataDirectory } from '../platform/files/data-directory.ts';
import type { Config } from '../platform/settings/config.ts';

/** Creates the directory if needed; throws if no server may use it. */
export function prepareDataDirectory({ dataDir, databaseUrl }: Config): void {
  // By default the engines create files that every user can read, and DATA_DIR may be readable too.
  process.umask(0o077);
  makeDataDirectory(dataDir);
  assertRestored(dataDir);
  assertUsable(dataDir, databaseUrl !== undefined);
}
