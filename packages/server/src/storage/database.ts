import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { makeDataDirectory } from './data-directory.ts';
import { fileError } from './file-error.ts';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import type { DatabaseTables } from './migrations/database-tables.ts';
import { migrate } from './migrations/migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { type Nodes, singleNode } from './nodes.ts';
import type { OutageListener } from './postgres/postgres-nodes.ts';
import { sqliteDialect } from './sqlite/sqlite-dialect.ts';
import {
  BUSY_RETRY_MS,
  BUSY_TIMEOUT_MS,
  type OpenSqlite,
  type SqliteEngine,
} from './sqlite/sqlite-engine.ts';

/** The database or a transaction on it. */
export type Database = Kysely<DatabaseTables>;

export interface DatabaseHandle {
  readonly database: Database;
  /** The same database for work that no request waits for: statements may take longer. */
  readonly background: Database;
  readonly nodes: Nodes;
  /** Calls back after every commit by any connection of any process; returns an unsubscribe function. */
  watch(onChange: () => void): () => void;
  /** Removes deleted text from the write-ahead log. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

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
  /** For PostgreSQL: opens it although the server is away; it is migrated when the server is back. */
  allowAway?: boolean;
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

/** An empty configuration database in memory. */
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

/** A new id with a type prefix, like `flg_…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/** A new seed for assigning visitors. */
export function newHashSeed(): string {
  return randomBytes(8).toString('hex');
}

/** Tables of items, whose rows are in the order of creation. */
export type PositionedTable = {
  [Name in keyof DatabaseTables]: DatabaseTables[Name] extends ItemTable ? Name : never;
}[keyof DatabaseTables];

interface ItemTable {
  property_id: string;
  position: number;
  created_at: number;
}

/** The position after the last row, so that lists keep the order of creation. */
export async function nextPosition(
  database: Database,
  table: PositionedTable,
  propertyId: string,
): Promise<number> {
  const row = await database
    .selectFrom(table)
    .select((select) => select.fn.max<number | null>('position').as('last'))
    .where('property_id', '=', propertyId)
    .executeTakeFirst();
  return (row?.last ?? 0) + 1;
}
