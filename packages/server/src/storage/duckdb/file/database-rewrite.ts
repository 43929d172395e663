import type { DuckDBConnection } from '@duckdb/node-api';
import { execute, keyList, quoteName, quoteText, rowsOf } from '../sql.ts';
import { discardRewrite, rewriteFileOf, swapInRewrite } from './database-files.ts';
import type { DuckDbDatabase } from './duckdb-database.ts';
import { EVENT_TABLES, SESSION_TABLES } from './duckdb-schema.ts';

/** Sessions of one property. */
export interface SessionSet {
  property: number;
  keys: readonly bigint[];
}

/**
 * Copies the remaining data into a new file that replaces the old one, because deleted rows would stay in the blocks of
 * the old file. Queries use the old file until the swap and wait only for the swap itself, which is an atomic rename.
 */
export async function rewriteDatabase(
  database: DuckDbDatabase,
  connection: DuckDBConnection,
  excluded: readonly SessionSet[],
): Promise<void> {
  // A failed rewrite, e.g. on a full disk, leaves its file behind.
  await discardRewrite(database.file);
  await execute(connection, `ATTACH ${quoteText(rewriteFileOf(database.file))} AS rewrite`);
  try {
    await copyDatabase(connection, excluded);
    await execute(connection, 'CHECKPOINT rewrite');
  } finally {
    await execute(connection, 'DETACH rewrite');
  }
  await database.reopen(() => swapInRewrite(database.file));
}

async function copyDatabase(connection: DuckDBConnection, excluded: readonly SessionSet[]): Promise<void> {
  const [row] = await rowsOf<[string]>(connection, 'SELECT current_database()');
  const source = quoteName((row as [string])[0]);
  await execute(connection, `COPY FROM DATABASE ${source} TO rewrite (SCHEMA)`);
  const tables = ['schema_version', 'terms', 'sources'];
  // Otherwise the answers have counted the excluded sessions.
  if (excluded.length === 0) tables.push('counted_answers');
  for (const table of tables) {
    await execute(connection, `INSERT INTO rewrite.${table} SELECT * FROM ${table}`);
  }
  await execute(
    connection,
    'INSERT INTO rewrite.store_state SELECT * REPLACE (0 AS dead_rows) FROM store_state',
  );
  for (const table of SESSION_TABLES) {
    const copy = `INSERT INTO rewrite.${table} SELECT kept.* FROM ${table} AS kept`;
    if (excluded.length === 0) await execute(connection, copy);
    else {
      // An anti join keeps rows without a session, which NOT IN would drop.
      await execute(
        connection,
        `${copy} ANTI JOIN (SELECT unnest(CAST(string_split($1, ',') AS INTEGER[])) AS property,
                                   unnest(CAST(string_split($2, ',') AS BIGINT[])) AS session_key)
         USING (property, session_key)`,
        [
          excluded.flatMap(({ property, keys }) => keys.map(() => property)).join(','),
          excluded.flatMap(({ keys }) => keys).join(','),
        ],
      );
    }
  }
}

/**
 * The share of rows deleted since the last rewrite, from 0 to 1, and the size of the file. DuckDB's count of free
 * blocks is no use here: deleted rows stay in their row group until all rows of the group are deleted.
 */
export async function deadShareOf(connection: DuckDBConnection): Promise<{ share: number; bytes: number }> {
  const live = EVENT_TABLES.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ');
  const [row] = await rowsOf<[bigint, bigint, bigint]>(
    connection,
    `SELECT dead_rows, ${live}, block_size * total_blocks FROM store_state, pragma_database_size()
     WHERE database_name = current_database()`,
  );
  const [dead, kept, bytes] = row ?? [0n, 0n, 0n];
  return { share: dead === 0n ? 0 : Number(dead) / Number(dead + kept), bytes: Number(bytes) };
}

/** Number of events of the sessions. */
export async function countEvents(
  connection: DuckDBConnection,
  { property, keys }: SessionSet,
): Promise<number> {
  let total = 0;
  for (const table of EVENT_TABLES) {
    const rows = await rowsOf<[bigint]>(
      connection,
      `SELECT count(*) FROM ${table} WHERE property = $1 AND session_key IN ${keyList('$2')}`,
      [property, keys.join(',')],
    );
    total += Number((rows[0] as [bigint])[0]);
  }
  return total;
}
