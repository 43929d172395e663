import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseHandle, databasePath, openDatabase } from '../storage/database.ts';
import { POLL_MS } from '../storage/sqlite/sqlite-engine.ts';
import { CliError } from './cli-error.ts';

export function hasDatabase(dataDir: string): boolean {
  return existsSync(databasePath(dataDir));
}

/** Opens the configuration for one command; a mistyped directory is an error, not a new and empty one. */
export function withExistingDatabase<T>(
  dataDir: string,
  run: (handle: DatabaseHandle) => Promise<T>,
): Promise<T> {
  if (!hasDatabase(dataDir)) {
    throw new CliError(
      `There is no configuration in ${resolve(dataDir)}. Start the server or apply a file first, ` +
        'or name another directory with --data-dir.',
    );
  }
  return withDatabase(openDatabase(dataDir), run);
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

/** A server that is very busy may be later. */
const SEEN_WITHIN_MS = 3 * POLL_MS;

/** After a change, so that the next line of a script (a request with the key it just made, say) finds it done. */
export async function waitForServerReload(): Promise<void> {
  await sleep(SEEN_WITHIN_MS);
}

/** Stops with a message that names the properties there are. */
export async function requireProperty({ database }: DatabaseHandle, propertyId: string): Promise<void> {
  const rows = await database.selectFrom('properties').select('id').orderBy('id').execute();
  if (rows.some((row) => row.id === propertyId)) return;
  const known =
    rows.length === 0 ? 'There is none yet.' : `There are: ${rows.map((row) => row.id).join(', ')}.`;
  throw new CliError(`There is no property "${propertyId}". ${known}`);
}
