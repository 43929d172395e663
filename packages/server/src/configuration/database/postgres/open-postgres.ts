import { Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Database, DatabaseHandle } from '../database.ts';
import { ALL_MIGRATIONS } from '../migrations/all-migrations.ts';
import { isMigrated, migrate } from '../migrations/migrate.ts';
import type { Migration } from '../migrations/migration.ts';
import { assertSessions } from './assert-sessions.ts';
import { ConnectionGuard, isConnectionError } from './connection-guard.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { type OutageListener, PostgresNodes } from './postgres-nodes.ts';
import { type PostgresOptions, postgresPool } from './postgres-pool.ts';
import { PostgresServers } from './postgres-servers.ts';

export interface OpenPostgresOptions extends PostgresOptions {
  migrations?: readonly Migration[];
  /** Opens it although the server is unavailable; it is migrated when the server is back. */
  allowUnavailable?: boolean;
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
  { migrations = ALL_MIGRATIONS, allowUnavailable, outages = {}, ...options }: OpenPostgresOptions = {},
): Promise<DatabaseHandle> {
  const guard = new ConnectionGuard();
  const servers = new PostgresServers(url);
  const prepare = () => prepareDatabase(servers, migrations, options);
  await prepare().catch((error) => {
    if (isRefused(error)) throw error.cause;
    if (!allowUnavailable || !isConnectionError(error)) throw error;
    guard.setUnavailable(error);
    outages.onUnavailable?.(error);
  });
  const database = connectPostgres(servers, { ...options, guard });
  const background = connectPostgres(servers, { ...BACKGROUND, guard });
  const nodes = new PostgresNodes({
    servers,
    database,
    guard,
    prepare,
    isPrepared: guard.isAvailable,
    listener: outages,
    exclusively: (work) => whileLocked(servers, EXCLUSIVE_LOCK, work),
  });
  return {
    database,
    background,
    nodes,
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
export function connectPostgres(to: string | PostgresServers, options: PostgresOptions = {}): Database {
  const servers = typeof to === 'string' ? new PostgresServers(to) : to;
  return new Kysely({ dialect: postgresDialect(postgresPool(servers, options)) });
}

async function prepareDatabase(
  servers: PostgresServers,
  migrations: readonly Migration[],
  { connectTimeoutMs, statementTimeoutMs }: PostgresOptions,
): Promise<void> {
  const database = connectPostgres(servers, { connectTimeoutMs, statementTimeoutMs, connections: 2 });
  try {
    await assertSessions(database);
    if (await isMigrated(database, migrations)) return;
  } finally {
    await database.destroy();
  }
  await whileLocked(servers, MIGRATION_LOCK, (connection) => migrate(connection, migrations));
}

/** Holds a lock on a connection of its own until everything is committed. */
async function whileLocked<T>(
  servers: PostgresServers,
  lock: number,
  work: (connection: Database) => Promise<T>,
): Promise<T> {
  const database = connectPostgres(servers, {
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
