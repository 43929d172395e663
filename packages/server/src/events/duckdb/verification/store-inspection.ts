import { basename } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { StorageError } from '../../../platform/errors/storage-error.ts';
import { LOCAL_SOURCE } from '../../store/event-store.ts';
import { quoteName, rowsOf } from '../connection/sql.ts';
import { StoreLock } from '../connection/store-lock.ts';
import { assertKnownSchema, EVENT_TABLES } from '../schema/duckdb-schema.ts';

/** Max rows per row group, DuckDB's storage unit of a table. */
const ROW_GROUP_ROWS = 122_880;

/** The part of a table that is read at a time. */
export interface RowGroup {
  table: string;
  firstRow: number;
}

/** Enough to read one row group at a time; the default is most of the memory of the machine. */
const MEMORY = '512MiB';

export interface StoreContents {
  /** Of the journal of this installation. */
  watermark: number;
  events: number;
}

/** Like `inspectFile`, for the store of a data directory; throws if it is in use. */
export async function inspectStore(file: string): Promise<StoreContents> {
  const lock = StoreLock.take(file);
  try {
    return await inspectFile(file);
  } finally {
    lock.release();
  }
}

/**
 * Reads the whole store to verify the checksum of each block, without changing the schema or the log; throws if it is
 * damaged.
 */
export async function inspectFile(file: string): Promise<StoreContents> {
  const instance = await DuckDBInstance.create(file, {
    access_mode: 'READ_ONLY',
    threads: '2',
    memory_limit: MEMORY,
  });
  try {
    const connection = await instance.connect();
    return await readAll(connection, file).finally(() => connection.closeSync());
  } finally {
    instance.closeSync();
  }
}

async function readAll(connection: DuckDBConnection, file: string): Promise<StoreContents> {
  const tables = await tablesOf(connection);
  // The first start was killed before it created any tables.
  if (!tables.includes('store_state')) return { watermark: 0, events: 0 };
  await assertKnownSchema(connection);
  for (const rowGroup of await listRowGroups(connection)) await readRowGroup(connection, file, rowGroup);
  const counts = EVENT_TABLES.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ');
  const watermark = `(SELECT max(watermark) FROM sources WHERE name = '${LOCAL_SOURCE}')`;
  const [row] = await rowsOf<[bigint | null, bigint]>(connection, `SELECT ${watermark}, ${counts}`);
  return { watermark: Number(row?.[0] ?? 0), events: Number(row?.[1] ?? 0) };
}

/** All row groups, table by table. */
export async function listRowGroups(connection: DuckDBConnection): Promise<RowGroup[]> {
  const rowGroups: RowGroup[] = [];
  for (const table of await tablesOf(connection)) {
    const [row] = await rowsOf<[bigint | null]>(connection, `SELECT max(rowid) FROM ${quoteName(table)}`);
    const lastRow = Number(row?.[0] ?? -1);
    for (let firstRow = 0; firstRow <= lastRow; firstRow += ROW_GROUP_ROWS)
      rowGroups.push({ table, firstRow });
  }
  return rowGroups;
}

/** Reads all columns of a row group; throws an error that names the table if it is damaged. */
export async function readRowGroup(
  connection: DuckDBConnection,
  file: string,
  { table, firstRow }: RowGroup,
): Promise<void> {
  try {
    await rowsOf(
      connection,
      `SELECT bit_xor(hash(whole)) FROM ${quoteName(table)} AS whole WHERE rowid >= $1 AND rowid < $2`,
      [firstRow, firstRow + ROW_GROUP_ROWS],
    );
  } catch (error) {
    throw toDamageError(error, file, `, table ${table}`);
  }
}

async function tablesOf(connection: DuckDBConnection): Promise<string[]> {
  return (await rowsOf<[string]>(connection, 'SELECT table_name FROM duckdb_tables()')).flat();
}

/** DuckDB's messages for corrupt or missing blocks, as opposed to other failed queries. */
const DAMAGE = /Corrupt database file|does not match stored checksum|Could not read enough bytes from file/;

/** Converts errors about damaged blocks to a `StorageError`; returns other errors unchanged. */
export function toDamageError(error: unknown, file: string, where = ''): unknown {
  if (error instanceof StorageError || !(error instanceof Error) || !DAMAGE.test(error.message)) return error;
  return new StorageError('STORE_DAMAGED', `${basename(file)}${where} is damaged: ${error.message}`);
}
