import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { quoteName, rowsOf } from '../sql.ts';
import { knownVersionOf } from './duckdb-schema.ts';
import { StoreLock } from './store-lock.ts';

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
      return await readAll(connection).finally(() => connection.closeSync());
    } finally {
      instance.closeSync();
    }
  } finally {
    lock.release();
  }
}

async function readAll(connection: DuckDBConnection): Promise<number> {
  const tables = (await rowsOf<[string]>(connection, 'SELECT table_name FROM duckdb_tables()')).flat();
  // A first start that was killed has left a file, and no more.
  if (!tables.includes('store_state')) return 0;
  await knownVersionOf(connection);
  for (const table of tables) {
    await rowsOf(connection, `SELECT bit_xor(hash(whole)) FROM ${quoteName(table)} AS whole`);
  }
  const [row] = await rowsOf<[bigint]>(connection, 'SELECT watermark FROM store_state');
  return Number(row?.[0] ?? 0);
}
