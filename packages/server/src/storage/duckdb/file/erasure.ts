import type { DuckDBConnection } from '@duckdb/node-api';
import type { Erasure, Subject } from '../../erasure-subject.ts';
import type { KeyHasher } from '../lookup/key-hasher.ts';
import { deleteSavedAnswers } from '../queries/saved-answers.ts';
import { execute, inTransaction } from '../sql.ts';
import { countEvents, deadShareOf, rewriteDatabase, type SessionSet } from './database-rewrite.ts';
import type { DuckDbDatabase } from './duckdb-database.ts';
import { EVENT_TABLES } from './duckdb-schema.ts';
import { eraseRows } from './erase-rows.ts';
import { deleteEmptySessions, keepRemains } from './session-remains.ts';
import { sessionKeysOf } from './subject-rows.ts';

/** A file is rewritten when at least this share of its rows is deleted … */
const DEAD_SHARE = 0.3;
/** … and it has at least this size. */
const MIN_REWRITE_BYTES = 8 * 1024 * 1024;

/**
 * Rewrites the file once without the sessions of all subjects. A crash before the end leaves the old file, in which at
 * most single rows are deleted, so that the next erasure rewrites it in any case.
 */
export async function forgetSubjects(
  database: DuckDbDatabase,
  connection: DuckDBConnection,
  keys: KeyHasher,
  subjects: readonly Subject[],
  propertyOf: (propertyId: string) => number | undefined,
): Promise<Erasure[]> {
  const toErase: SessionSet[] = [];
  const erasures: Erasure[] = [];
  const seen = new Set<string>();
  for (const subject of subjects) {
    const property = propertyOf(subject.propertyId);
    if (property !== undefined && ('feedbackId' in subject || 'metadata' in subject)) {
      const erased = toErase.filter((set) => set.property === property).flatMap((set) => set.keys);
      erasures.push({ rows: await eraseRows(connection, subject, property, erased) });
      continue;
    }
    const all = property === undefined ? [] : await sessionKeysOf(connection, keys, subject, property);
    const unseen = all.filter((key) => !seen.has(`${property}/${key}`));
    if (property === undefined || unseen.length === 0) {
      erasures.push({ rows: 0 });
      continue;
    }
    for (const key of unseen) seen.add(`${property}/${key}`);
    toErase.push({ property, keys: unseen });
    erasures.push({ rows: await countEvents(connection, { property, keys: unseen }) });
  }
  // Rows that expired earlier may still be in the blocks of the file.
  const { share } = await deadShareOf(connection);
  if (toErase.length > 0 || share > 0) await rewriteDatabase(database, connection, toErase);
  return erasures;
}

/** Deletes old events, and sessions without remaining events together with their collects. `tieBreak`: see `SourceList`. */
export async function expireEvents(
  database: DuckDbDatabase,
  connection: DuckDBConnection,
  property: number,
  before: number,
  tieBreak: string,
): Promise<Erasure> {
  const rows = await inTransaction(connection, async () => {
    await keepRemains(connection, property, before, tieBreak);
    const deleted = await deleteEvents(connection, property, before);
    if (deleted > 0) {
      await deleteEmptySessions(connection, property, before);
      await deleteSavedAnswers(connection, property, before);
      await execute(connection, 'UPDATE store_state SET dead_rows = dead_rows + $1', [deleted]);
    }
    return deleted;
  });
  if (rows > 0) await reclaimSpace(database, connection);
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

async function reclaimSpace(database: DuckDbDatabase, connection: DuckDBConnection): Promise<void> {
  const { share, bytes } = await deadShareOf(connection);
  if (share >= DEAD_SHARE && bytes >= MIN_REWRITE_BYTES) {
    await rewriteDatabase(database, connection, []);
  }
}
