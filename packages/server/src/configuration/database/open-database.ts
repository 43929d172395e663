import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { fileError } from '../../platform/errors/file-error.ts';
import { makeDataDirectory } from '../../platform/files/data-directory.ts';
import type { Database, DatabaseHandle } from './database.ts';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import { migrate } from './migrations/migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { singleNode } from './nodes.ts';
import type { OutageListener } from './postgres/postgres-nodes.ts';
import { sqliteDialect } from './sqlite/sqlite-dialect.ts';
import {
  BUSY_RETRY_MS,
  BUSY_TIMEOUT_MS,
  type OpenSqlite,
  type SqliteEngine,
} from './sqlite/sqlite-engine.ts';

export interface DatabaseOptions {
  /** Of a PostgreSQL database to use instead of a file in the data directory. */
  url?: string | undefined;
  /** For everything that is not a request, whose client waits for at most a few seconds. */
  patient?: boolean;
  migrations?: readonly Migration[];
  /** Opens the engine that runs the statements; default: on the calling thread. */
  openSqlite?: OpenSqlite;
  /** The handle of that engine, if there is one already. */
  handle?: DatabaseHandle | undefined;
  /** For PostgreSQL: max time that a transaction may wait for the server, beyond what fast statements take. */
  maxWaitMs?: number;
  /** For PostgreSQL: opens it although the server is unavailable; it is migrated when the server is back. */
  allowUnavailable?: boolean;
  outages?: OutageListener;
}

export function databasePath(dataDir: string): string {
  return join(dataDir, 'config.db');
}

/** Opens the configuration database, creating and migrating it as needed. */
export async function openDatabase(dataDir: string, options: DatabaseOptions = {}): Promise<DatabaseHandle> {
  if (options.url !== undefined) {
    // Imported lazily: most installations do not need the client.
    const { openPostgres, PATIENT } = await import('./postgres/open-postgres.ts');
    return openPostgres(options.url, { ...options, ...(options.patient && PATIENT) });
  }
  makeDataDirectory(dataDir);
  const path = databasePath(dataDir);
  // SQLite would make the file world-readable; its log gets the same permissions as the file.
  closeSync(openSync(path, 'a', 0o600));
  return openAt(path, options).catch((error: unknown) => {
    throw fileError(path, error);
  });
}

export function openMemoryDatabase(): Promise<DatabaseHandle> {
  return openAt(':memory:', {});
}

/** Where the configuration is; can be sent to another thread. */
export type DatabaseSource = { path: string } | { url: string };

export function databaseSource(dataDir: string, url: string | undefined): DatabaseSource {
  return url === undefined ? { path: databasePath(dataDir) } : { url };
}

/** Reads a database in one transaction, without migrating or changing it. */
export async function readDatabase<T>(
  source: DatabaseSource,
  read: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openReadOnly(source);
  try {
    return await database.transaction().setAccessMode('read only').execute(read);
  } finally {
    await database.destroy();
  }
}

async function openReadOnly(source: DatabaseSource): Promise<Database> {
  if ('url' in source) {
    const { connectPostgres } = await import('./postgres/open-postgres.ts');
    return connectPostgres(source.url, { connections: 1 });
  }
  const { SqliteFile } = await import('./sqlite/sqlite-file.ts');
  return new Kysely({ dialect: sqliteDialect(SqliteFile.openReadOnly(source.path)) });
}

async function openAt(
  path: string,
  { migrations = ALL_MIGRATIONS, openSqlite = openOnThisThread, handle: existing }: DatabaseOptions,
): Promise<DatabaseHandle> {
  const engine = await openSqlite(path);
  const handle = existing ?? sqliteHandle(engine);
  try {
    await migrate(handle.database, migrations);
  } catch (error) {
    await handle.database.destroy();
    throw error;
  }
  return handle;
}

/** Can be used when the engine is open and migrated. */
export function sqliteHandle(engine: SqliteEngine): DatabaseHandle {
  const database: Database = new Kysely({ dialect: sqliteDialect(engine) });
  return {
    database,
    background: database,
    nodes: singleNode(),
    watch: (onChange) => engine.watch(onChange),
    scrub: () => scrub(database),
    close: async () => {
      // SQLite does not checkpoint on close while prepared statements await garbage collection.
      await checkpoint(database);
      await database.destroy();
    },
  };
}

/** Imported lazily: a server runs its statements on another thread. */
const openOnThisThread: OpenSqlite = async (path) => {
  const { SqliteFile } = await import('./sqlite/sqlite-file.ts');
  return SqliteFile.open(path);
};

/** Another process may block the checkpoint; after the timeout, the rest is left to the next call. */
async function scrub(database: Database): Promise<void> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  while (!(await checkpoint(database)) && performance.now() < deadline) await sleep(BUSY_RETRY_MS);
}

/** Moves the write-ahead log into the file and truncates it; false while another connection uses it. */
async function checkpoint(database: Database): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(database);
  return rows[0]?.busy === 0;
}
