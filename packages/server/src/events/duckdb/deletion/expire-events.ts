import type { DuckDBConnection } from '@duckdb/node-api';
import { HOUR_MS } from '@switchyard/core/time';
import type { Erasure } from '../../store/erasure-subject.ts';
import type { DuckDbDatabase } from '../connection/duckdb-database.ts';
import { execute, inTransaction, rowsOf } from '../connection/sql.ts';
import type { TermDictionary } from '../ingest/lookup/term-dictionary.ts';
import { deleteSavedAnswers } from '../queries/split-tests/saved-answers.ts';
import { EVENT_TABLES } from '../schema/duckdb-schema.ts';
import { deadShareOf, rewriteDatabase } from './database-rewrite.ts';
import { addDeadRows } from './dead-rows.ts';
import { deleteEmptySessions, keepRemains } from './session-remains.ts';

/** A file is rewritten when at least this share of its rows is deleted … */
const DEAD_SHARE = 0.3;
/** … and it has at least this size … */
const MIN_REWRITE_BYTES = 8 * 1024 * 1024;
/** … or when a row was deleted this long ago: what has expired is gone from the disk within a day. */
const MAX_DEAD_MS = 20 * HOUR_MS;

export async function hasEventsBefore(
  connection: DuckDBConnection,
  property: number,
  before: number,
): Promise<boolean> {
  const old = EVENT_TABLES.map(
    (table) => `(SELECT 1 FROM ${table} WHERE property = $1 AND happened_at < $2 LIMIT 1)`,
  );
  return (await rowsOf(connection, old.join(' UNION ALL '), [property, before])).length > 0;
}

/** Deletes old events, and sessions without remaining events together with their collects. `tieBreak`: see `SourceList`. */
export async function expireEvents(
  database: DuckDbDatabase,
  connection: DuckDBConnection,
  terms: TermDictionary,
  { property, before, tieBreak }: { property: number; before: number; tieBreak: string },
): Promise<Erasure> {
  const rows = await inTransaction(connection, async () => {
    await keepRemains(connection, property, before, tieBreak);
    const deleted = await deleteEvents(connection, property, before);
    if (deleted > 0) {
      await deleteEmptySessions(connection, property, before);
      await deleteSavedAnswers(connection, property, before);
      await addDeadRows(connection, deleted);
    }
    return deleted;
  });
  if (rows > 0) await reclaimSpace(database, connection, terms);
  return { rows };
}

async function deleteEvents(connection: DuckDBConnection, property: number, before: number): Promise<number> {
  let deleted = 0;
  for (const table of EVENT_TABLES) {
    deleted += await execute(connection, `DELETE FROM ${table} WHERE property = $1 AND happened_at < $2`, [
      property,
      before,
    ]);
  }
  return deleted;
}

async function reclaimSpace(
  database: DuckDbDatabase,
  connection: DuckDBConnection,
  terms: TermDictionary,
): Promise<void> {
  const { share, bytes } = await deadShareOf(connection);
  if (share >= DEAD_SHARE && bytes >= MIN_REWRITE_BYTES) {
    await rewriteDatabase(database, connection, terms);
  }
}

/** Whether the file has rows that were deleted long ago. */
export async function hasOldRemains(connection: DuckDBConnection, now: number): Promise<boolean> {
  const [row] = await rowsOf<[bigint | null]>(connection, 'SELECT dead_since FROM store_state');
  const since = row?.[0] ?? null;
  // A time in the future was written before the clock was set back.
  return since !== null && (now - Number(since) >= MAX_DEAD_MS || Number(since) > now);
}
