import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { databasePath, openDatabase } from '../../configuration/database/open-database.ts';
import { POLL_MS } from '../../configuration/database/sqlite/sqlite-engine.ts';
import { fileExists } from '../../platform/files/file-exists.ts';
import { loadSetting } from '../../platform/settings/config.ts';
import { CliError } from '../output/cli-error.ts';

/** PostgreSQL instead of a file in the data directory; undefined if it is not used. */
export const databaseUrl = (): string | undefined => loadSetting('DATABASE_URL');

export function hasDatabase(dataDir: string): boolean {
  return databaseUrl() !== undefined || fileExists(databasePath(dataDir));
}

/** Creates it if there is none. */
export function openConfigured(dataDir: string): Promise<DatabaseHandle> {
  return openDatabase(dataDir, { url: databaseUrl(), patient: true });
}

/** Opens the configuration for one command. A mistyped directory is an error, so that no empty one is created. */
export function withExistingDatabase<T>(
  dataDir: string,
  run: (handle: DatabaseHandle) => Promise<T>,
): Promise<T> {
  if (!hasDatabase(dataDir)) {
    throw new CliError(
      `There is no configuration in ${resolve(dataDir)}. Start the server or apply a file first, ` +
        'or pass another directory with --data-dir.',
    );
  }
  return withDatabase(openConfigured(dataDir), run);
}

export async function withDatabase<T>(
  opening: Promise<DatabaseHandle>,
  run: (handle: DatabaseHandle) => Promise<T>,
): Promise<T> {
  const handle = await opening;
  try {
    return await run(handle);
  } finally {
    await handle.close();
  }
}

/** Usually enough; a very busy server may take longer. */
const RELOAD_MS = 3 * POLL_MS;
/** Nodes look for changes at least once a second. */
const NODES_RELOAD_MS = 1000;

/** Waits after a change, so that the next line of a script (such as a request with a new key) already sees it. */
export async function waitForServerReload(): Promise<void> {
  await sleep(databaseUrl() === undefined ? RELOAD_MS : NODES_RELOAD_MS);
}

/** Throws an error that lists the existing properties. */
export async function requireProperty({ database }: DatabaseHandle, propertyId: string): Promise<void> {
  const rows = await database.selectFrom('properties').select('id').orderBy('id').execute();
  if (rows.some((row) => row.id === propertyId)) return;
  const known =
    rows.length === 0
      ? 'There are no properties yet.'
      : `Existing properties: ${rows.map((row) => row.id).join(', ')}.`;
  throw new CliError(`There is no property "${propertyId}". ${known}`);
}
