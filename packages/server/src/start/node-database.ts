import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { type DatabaseOptions, openDatabase } from '../configuration/database/open-database.ts';
import type { PropertyConfiguration } from '../configuration/property/property-configuration.ts';
import { readSnapshot } from '../configuration/snapshot/configuration-snapshot.ts';
import { isDatabaseUnavailable } from '../platform/errors/storage-error.ts';
import type { Config } from '../platform/settings/config.ts';

/** How long a start waits for PostgreSQL, for example when both start at once. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 500;
/** With the statement that finds the caller, no request takes more than 5 seconds. */
const MAX_WAIT_MS = 3000;

export interface OpenedDatabase {
  handle: DatabaseHandle;
  /** What to serve until PostgreSQL is back; undefined if it is there. */
  initial?: readonly PropertyConfiguration[];
}

/** Opens PostgreSQL. If it cannot be reached, the node starts with the snapshot in its data directory, if it has one. */
export async function openNodeDatabase(
  { dataDir, databaseUrl: url }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Logger,
  patienceMs = PATIENCE_MS,
): Promise<OpenedDatabase> {
  const options = { url, maxWaitMs: MAX_WAIT_MS, outages: logOutages(log) };
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return { handle: await openDatabase(dataDir, options) };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      const snapshot = readSnapshot(dataDir, (message) => log.warn(message));
      if (snapshot !== undefined) {
        const savedAt = new Date(snapshot.savedAt).toISOString();
        log.warn({ savedAt }, 'starting with the configuration in configuration-snapshot.json');
        const handle = await openDatabase(dataDir, { ...options, allowUnavailable: true });
        return { handle, initial: snapshot.properties };
      }
      if (performance.now() >= deadline) throw cannotStart(error as Error);
    }
    await sleep(RETRY_MS);
  }
}

function logOutages(log: Logger): NonNullable<DatabaseOptions['outages']> {
  return {
    onUnavailable: (err) =>
      log.error(
        { err },
        'PostgreSQL is unavailable; serving the configuration in memory, changes are refused',
      ),
    onBack: () => log.info('PostgreSQL is back'),
    onError: (err) => log.error({ err }, 'failed to stop the background jobs'),
  };
}

function cannotStart(cause: Error): Error {
  return new Error(
    `${cause.message}. Check DATABASE_URL, and that the server runs. This node has no configuration-snapshot.json ` +
      'to start from without it.',
    { cause },
  );
}
