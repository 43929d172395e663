import { basename } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { StorageError } from '../../storage-error.ts';
import { quoteName, rowsOf } from '../sql.ts';
import { knownVersionOf } from './duckdb-schema.ts';
import { StoreLock } from './store-lock.ts';

/** Rows of a row group, the piece in which DuckDB stores a table. */
const PIECE_ROWS = 122_880;

/** As much of a table as is read at once. */
export interface Piece {
  table: string;
  firstRow: number;
}

/**
 * Reads a store from end to end, so that each of its blocks is held against its checksum, and changes nothing: the
 * schema stays, and so does the log. Answers with the watermark; throws when it is damaged or in use.
 */
export async function inspectStore(file: string): Promise<number> {
  const lock = StoreLock.take(file);
  try {
    const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads: '2' });
    try {
      const connection = await instance.connect();
      return await readAll(connection, file).finally(() => connection.closeSync());
    } finally {
      instance.closeSync();
    }
  } finally {
    lock.release();
  }
}

async function readAll(connection: DuckDBConnection, file: string): Promise<number> {
  const tables = await tablesOf(connection);
  // A first start that was killed has left a file, and no more.
  if (!tables.includes('store_state')) return 0;
  await knownVersionOf(connection);
  for (const piece of await piecesOf(connection)) await readPiece(connection, file, piece);
  const [row] = await rowsOf<[bigint]>(connection, 'SELECT watermark FROM store_state');
  return Number(row?.[0] ?? 0);
}

/** Everything there is to read, table by table. */
export async function piecesOf(connection: DuckDBConnection): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const table of await tablesOf(connection)) {
    const [row] = await rowsOf<[bigint | null]>(connection, `SELECT max(rowid) FROM ${quoteName(table)}`);
    const lastRow = Number(row?.[0] ?? -1);
    for (let firstRow = 0; firstRow <= lastRow; firstRow += PIECE_ROWS) pieces.push({ table, firstRow });
  }
  return pieces;
}

/** Reads every column of a piece; throws an error that names the table when it is damaged. */
export async function readPiece(
  connection: DuckDBConnection,
  file: string,
  { table, firstRow }: Piece,
): Promise<void> {
  try {
    await rowsOf(
      connection,
      `SELECT bit_xor(hash(whole)) FROM ${quoteName(table)} AS whole WHERE rowid >= $1 AND rowid < $2`,
      [firstRow, firstRow + PIECE_ROWS],
    );
  } catch (error) {
    throw damageOr(error, file, `, table ${table}`);
  }
}

async function tablesOf(connection: DuckDBConnection): Promise<string[]> {
  return (await rowsOf<[string]>(connection, 'SELECT table_name FROM duckdb_tables()')).flat();
}

/** Not every failed query: what DuckDB says when a block is not what it wrote, or is not there. */
const DAMAGE = /Corrupt database file|does not match stored checksum|Could not read enough bytes from file/;

/** What the engine says about a damaged block, as an error of ours; any other error stays what it is. */
export function damageOr(error: unknown, file: string, where = ''): unknown {
  if (error instanceof StorageError || !(error instanceof Error) || !DAMAGE.test(error.message)) return error;
  return new StorageError('STORE_DAMAGED', `${basename(file)}${where} is damaged: ${error.message}`);
}
