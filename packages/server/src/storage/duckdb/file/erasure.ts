import type { DuckDBConnection } from '@duckdb/node-api';
import type { Erasure, Subject } from '../../event-store.ts';
import type { KeyHasher } from '../lookup/key-hasher.ts';
import { deleteSavedAnswers } from '../queries/saved-answers.ts';
import { execute, inTransaction, rowsOf } from '../sql.ts';
import {
  countEvents,
  deadShareOf,
  rewriteDatabase,
  type SessionSet,
  sessionsOfPerson,
} from './database-rewrite.ts';
import type { DuckDbDatabase } from './duckdb-database.ts';
import { EVENT_TABLES } from './duckdb-schema.ts';
import { deleteEmptySessions, keepRemains } from './session-remains.ts';

/** A file is rewritten when at least this share of its rows is deleted … */
const DEAD_SHARE = 0.3;
/** … and it has at least this size. */
const MIN_REWRITE_BYTES = 8 * 1024 * 1024;

/**
 * Rewrites the file once without the sessions of all subjects. A crash before the end leaves the old file unchanged.
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
    const all = property === undefined ? [] : await sessionsOf(connection, keys, subject, property);
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

async function sessionsOf(
  connection: DuckDBConnection,
  keys: KeyHasher,
  subject: Subject,
  property: number,
): Promise<bigint[]> {
  const { propertyId } = subject;
  if ('visitorId' in subject) {
    const { visitorId } = subject;
    return sessionsOfPerson(
      connection,
      property,
      'visitor',
      keys.visitorKey(propertyId, visitorId),
      visitorId,
    );
  }
  if ('userId' in subject) {
    const { userId } = subject;
    return sessionsOfPerson(connection, property, 'user', keys.userKey(propertyId, userId), userId);
  }
  const rows = await rowsOf<[bigint]>(
    connection,
    'SELECT session_key FROM sessions WHERE property = $1 AND session_hash = $2 AND session_id = $3',
    [property, keys.sessionHash(propertyId, subject.sessionId).value, subject.sessionId],
  );
  return rows.map(([key]) => key);
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
