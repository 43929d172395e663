import { Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Database, DatabaseHandle } from '../database.ts';
import { ALL_MIGRATIONS } from '../migrations/all-migrations.ts';
import { isMigrated, migrate } from '../migrations/migrate.ts';
import type { Migration } from '../migrations/migration.ts';
import { ConnectionGuard, isConnectionError } from './connection-guard.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { type OutageListener, PostgresNodes } from './postgres-nodes.ts';
import { type PostgresOptions, postgresPool } from './postgres-pool.ts';

export interface OpenPostgresOptions extends PostgresOptions {
  migrations?: readonly Migration[];
  /** Opens it although the server is away; it is migrated when the server is back. */
  allowAway?: boolean;
  outages?: OutageListener;
}

/** For commands: better late than not at all. */
export const PATIENT: PostgresOptions = { connectTimeoutMs: 10_000, statementTimeoutMs: 60_000 };

/** Of one statement of a migration, and of the wait for another process that migrates. */
const MIGRATION_TIMEOUT_MS = 10 * 60 * 1000;
/** Any numbers, the same in all versions. */
const MIGRATION_LOCK = 7_491_305_286;
const EXCLUSIVE_LOCK = 7_491_305_287;
const BACKGROUND = { connections: 2, statementTimeoutMs: 60_000 };

/** Opens the configuration in PostgreSQL, creating and migrating its tables as needed. */
export async function openPostgres(
  url: string,
  { migrations = ALL_MIGRATIONS, allowAway, outages = {}, ...options }: OpenPostgresOptions = {},
): Promise<DatabaseHandle> {
  const guard = new ConnectionGuard();
  const prepare = () => prepareDatabase(url, migrations);
  await prepare().catch((error) => {
    if (isRefused(error)) throw error.cause;
    if (!allowAway || !isConnectionError(error)) throw error;
    guard.setAway(error);
    outages.onAway?.(error);
  });
  const database = connectPostgres(url, { ...options, guard });
  const background = connectPostgres(url, { ...BACKGROUND, guard });
  const nodes = new PostgresNodes({
    ...{ url, database, guard, prepare, isPrepared: guard.isAvailable, listener: outages },
    exclusively: (work) => whileLocked(url, EXCLUSIVE_LOCK, work),
  });
  return {
    ...{ database, background, nodes },
    watch: (onChange) => nodes.watch(onChange),
    // Deleted rows are removed by the server's own vacuum.
    scrub: async () => {},
    close: async () => {
      await nodes.close();
      await Promise.all([database.destroy(), background.destroy()]);
    },
  };
}

/** A wrong password is no outage: it stays wrong. */
function isRefused({ cause }: Error): boolean {
  return cause instanceof pg.DatabaseError && cause.code?.startsWith('28') === true;
}

/** Does not connect before the first statement, and does not migrate. */
export function connectPostgres(url: string, options: PostgresOptions = {}): Database {
  return new Kysely({ dialect: postgresDialect(postgresPool(url, options)) });
}

async function prepareDatabase(url: string, migrations: readonly Migration[]): Promise<void> {
  const database = connectPostgres(url, { connections: 1 });
  try {
    if (await isMigrated(database, migrations)) return;
  } finally {
    await database.destroy();
  }
  await whileLocked(url, MIGRATION_LOCK, (connection) => migrate(connection, migrations));
}

/** Holds a lock on a connection of its own until everything is committed. */
async function whileLocked<T>(
  url: string,
  lock: number,
  work: (connection: Database) => Promise<T>,
): Promise<T> {
  const database = connectPostgres(url, {
    ...PATIENT,
    connections: 1,
    statementTimeoutMs: MIGRATION_TIMEOUT_MS,
  });
  try {
    return await database.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${sql.lit(lock)})`.execute(connection);
      return work(connection);
    });
  } finally {
    // Ends the session, and with it the lock.
    await database.destroy();
  }
}
