import type { DuckDBConnection } from '@duckdb/node-api';
import { discardRewrite, rewriteFileOf, swapInRewrite } from '../connection/database-files.ts';
import type { DuckDbDatabase } from '../connection/duckdb-database.ts';
import { execute, keyList, quoteName, quoteText, rowsOf } from '../connection/sql.ts';
import type { TermDictionary } from '../ingest/lookup/term-dictionary.ts';
import { EVENT_TABLES, SESSION_TABLES, TERM_COLUMNS } from '../schema/duckdb-schema.ts';

/** Sessions of one property. */
export interface SessionSet {
  property: number;
  keys: readonly bigint[];
}

/** What a rewrite leaves out. */
export interface Excluded {
  sessions: readonly SessionSet[];
  /** Whole properties. */
  properties: readonly number[];
}

/**
 * Copies the remaining data into a new file that replaces the old one, because deleted rows would stay in the blocks of
 * the old file. Queries use the old file until the swap and wait only for the swap itself, which is an atomic rename.
 */
export async function rewriteDatabase(
  database: DuckDbDatabase,
  connection: DuckDBConnection,
  terms: TermDictionary,
  excluded: Excluded = { sessions: [], properties: [] },
): Promise<void> {
  let unused: number[];
  // A failed rewrite, e.g. on a full disk, leaves its file behind.
  await discardRewrite(database.file);
  await execute(connection, `ATTACH ${quoteText(rewriteFileOf(database.file))} AS rewrite`);
  try {
    await copyDatabase(connection, excluded);
    unused = await copyUsedTerms(connection);
    await execute(connection, 'CHECKPOINT rewrite');
  } finally {
    await execute(connection, 'DETACH rewrite');
  }
  await database.reopen(() => swapInRewrite(database.file));
  terms.drop(unused);
}

async function copyDatabase(connection: DuckDBConnection, { sessions, properties }: Excluded): Promise<void> {
  const [row] = await rowsOf<[string]>(connection, 'SELECT current_database()');
  const source = quoteName((row as [string])[0]);
  await execute(connection, `COPY FROM DATABASE ${source} TO rewrite (SCHEMA)`);
  const tables = ['schema_version', 'sources'];
  // Otherwise the answers have counted what is excluded.
  if (sessions.length === 0 && properties.length === 0) tables.push('counted_answers');
  for (const table of tables) {
    await execute(connection, `INSERT INTO rewrite.${table} SELECT * FROM ${table}`);
  }
  await execute(
    connection,
    'INSERT INTO rewrite.store_state SELECT * REPLACE (0 AS dead_rows, NULL AS dead_since) FROM store_state',
  );
  for (const table of SESSION_TABLES) {
    const ofOthers = properties.length === 0 ? '' : `WHERE property NOT IN (${properties.join(', ')})`;
    const copy = `INSERT INTO rewrite.${table} SELECT kept.* FROM (SELECT * FROM ${table} ${ofOthers}) AS kept`;
    if (sessions.length === 0) await execute(connection, copy);
    else {
      // An anti join keeps rows without a session, which NOT IN would drop.
      await execute(
        connection,
        `${copy} ANTI JOIN (SELECT unnest(CAST(string_split($1, ',') AS INTEGER[])) AS property,
                                   unnest(CAST(string_split($2, ',') AS BIGINT[])) AS session_key)
         USING (property, session_key)`,
        [
          sessions.flatMap(({ property, keys }) => keys.map(() => property)).join(','),
          sessions.flatMap(({ keys }) => keys).join(','),
        ],
      );
    }
  }
}

/** Copies the terms that the copied rows refer to; returns the ids of the others. */
async function copyUsedTerms(connection: DuckDBConnection): Promise<number[]> {
  const used = Object.entries(TERM_COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => `SELECT DISTINCT ${column} AS id FROM rewrite.${table}`),
  );
  await execute(
    connection,
    `INSERT INTO rewrite.terms SELECT * FROM terms WHERE id IN (${used.join(' UNION ALL ')})`,
  );
  const unused = await rowsOf<[number]>(
    connection,
    'SELECT id FROM terms WHERE id NOT IN (SELECT id FROM rewrite.terms)',
  );
  return unused.map(([id]) => id);
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

/** Number of events of a property. */
export async function countAllEvents(connection: DuckDBConnection, property: number): Promise<number> {
  const counts = EVENT_TABLES.map((table) => `(SELECT count(*) FROM ${table} WHERE property = $1)`);
  const [row] = await rowsOf<[bigint]>(connection, `SELECT ${counts.join(' + ')}`, [property]);
  return Number((row as [bigint])[0]);
}
