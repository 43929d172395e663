import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  sql,
  type TransactionSettings,
} from 'kysely';
import { makeDataDirectory } from './data-directory.ts';
import { fileError } from './file-error.ts';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import type { DatabaseTables } from './migrations/database-tables.ts';
import { migrate } from './migrations/migrate.ts';
import type { Migration } from './migrations/migration.ts';

/** What stores work on: the database itself or a transaction of it. */
export type Database = Kysely<DatabaseTables>;

export interface DatabaseHandle {
  readonly database: Database;
  /** A watch of its own over changes by any connection, this process's or another's. */
  openChangeProbe(): ChangeProbe;
  /** Rewrites what deleted text may have left in the write-ahead log. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

export interface ChangeProbe {
  /** A number that differs from the last one when somebody committed a change in between. */
  current(): number;
  close(): void;
}

const BUSY_TIMEOUT_MS = 5000;

export function databasePath(dataDir: string): string {
  return join(dataDir, 'config.db');
}

/** Opens the configuration in a data directory, creates it when it is missing, and brings its schema up to date. */
export async function openDatabase(
  dataDir: string,
  options: { migrations?: readonly Migration[] } = {},
): Promise<DatabaseHandle> {
  makeDataDirectory(dataDir);
  const path = databasePath(dataDir);
  // SQLite would make the file readable for everybody, and gives its log the same permissions.
  closeSync(openSync(path, 'a', 0o600));
  return openSqlite(path, options.migrations ?? ALL_MIGRATIONS).catch((error: unknown) => {
    throw fileError(path, error);
  });
}

/** An empty configuration that vanishes when closed. */
export function openMemoryDatabase(): Promise<DatabaseHandle> {
  return openSqlite(':memory:', ALL_MIGRATIONS);
}

async function openSqlite(path: string, migrations: readonly Migration[]): Promise<DatabaseHandle> {
  const connection = await connect(path);
  const database: Database = new Kysely({ dialect: new PhotostructureDialect(connection) });
  try {
    await migrate(database, migrations);
  } catch (error) {
    await database.destroy();
    throw error;
  }
  const scrub = async () => {
    await sql`pragma wal_checkpoint(truncate)`.execute(database);
  };
  return {
    database,
    openChangeProbe: () => openChangeProbe(path),
    scrub,
    close: async () => {
      // Statements that were not collected yet keep SQLite from doing this when the connection is closed.
      await scrub();
      await database.destroy();
    },
  };
}

async function connect(path: string): Promise<DatabaseSyncInstance> {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // The switch to WAL does not wait for the lock, so two first starts at once need a retry.
  for (let attempt = 1; ; attempt++) {
    try {
      connection.exec('pragma journal_mode = wal');
      break;
    } catch (error) {
      if (attempt === 50 || !/locked|busy/i.test(String(error))) throw error;
      await sleep(50);
    }
  }
  // secure_delete: what we were asked to forget must not stay in free space of the file.
  connection.exec('pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on');
  return connection;
}

function openChangeProbe(path: string): ChangeProbe {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  const statement = connection.prepare('pragma data_version');
  return {
    current: () => Number(statement.get().data_version),
    close: () => connection.close(),
  };
}

/** A new identifier that says what it identifies, like `flg_…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/** Marks a property as changed; every store calls it in the transaction of its change. */
export async function touchProperty(database: Database, propertyId: string): Promise<void> {
  await database
    .updateTable('properties')
    .set((update) => ({ version: update('version', '+', 1), updated_at: Date.now() }))
    .where('id', '=', propertyId)
    .execute();
}

type PositionedTable =
  | 'environments'
  | 'api_keys'
  | 'goals'
  | 'feedback_types'
  | 'split_tests'
  | 'flags'
  | 'segments';

/** The place after the last one, so that lists keep the order of creation. */
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

/** Kysely's SQLite dialect on the node:sqlite API. */
class PhotostructureDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(connection: DatabaseSyncInstance) {
    const config = { database: adapt(connection) };
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new ImmediateSqliteDriver(this.#config);
  }
}

/** A transaction that reads first and writes later would fail when another process wrote meanwhile; so lock at once. */
class ImmediateSqliteDriver extends SqliteDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }
}

function adapt(connection: DatabaseSyncInstance): SqliteDatabase {
  return {
    close: () => connection.close(),
    prepare: (text) => {
      const statement = connection.prepare(text);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...parameters),
        run: (parameters) => statement.run(...parameters),
        iterate: (parameters) => statement.iterate(...parameters),
      };
    },
  };
}
