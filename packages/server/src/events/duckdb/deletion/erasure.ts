import type { DuckDBConnection } from '@duckdb/node-api';
import { HOUR_MS } from '@switchyard/core/time';
import type { Erasure, Subject } from '../../store/erasure-subject.ts';
import type { DuckDbDatabase } from '../connection/duckdb-database.ts';
import { execute, inTransaction, rowsOf } from '../connection/sql.ts';
import type { KeyHasher } from '../ingest/lookup/key-hasher.ts';
import type { TermDictionary } from '../ingest/lookup/term-dictionary.ts';
import { deleteSavedAnswers } from '../queries/split-tests/saved-answers.ts';
import { EVENT_TABLES } from '../schema/duckdb-schema.ts';
import {
  countAllEvents,
  countEvents,
  deadShareOf,
  type Excluded,
  rewriteDatabase,
  type SessionSet,
} from './database-rewrite.ts';
import { addDeadRows } from './dead-rows.ts';
import { eraseRows } from './erase-rows.ts';
import { deleteEmptySessions, keepRemains } from './session-remains.ts';
import { sessionKeysOf } from './subject-rows.ts';

/** A file is rewritten when at least this share of its rows is deleted … */
const DEAD_SHARE = 0.3;
/** … and it has at least this size … */
const MIN_REWRITE_BYTES = 8 * 1024 * 1024;
/** … or when a row was deleted this long ago: what has expired is gone from the disk within a day. */
const MAX_DEAD_MS = 20 * HOUR_MS;

/**
 * Rewrites the file once without the sessions of all subjects. A crash before the end leaves the old file unchanged.
 */
export async function forgetSubjects(
  database: DuckDbDatabase,
  connection: DuckDBConnection,
  { keys, terms }: Lookups,
  subjects: readonly Subject[],
): Promise<Erasure[]> {
  const toErase = new ToErase(connection);
  const erasures: Erasure[] = [];
  for (const subject of subjects) {
    const property = terms.find(subject.propertyId);
    if (property === undefined) erasures.push({ rows: 0 });
    else if ('everything' in subject) erasures.push({ rows: await toErase.addProperty(property) });
    else if ('feedbackId' in subject || 'metadata' in subject) {
      const erased = toErase.keysOf(property);
      const rows = erased === 'all' ? 0 : await eraseRows(connection, subject, property, erased);
      erasures.push({ rows });
    } else {
      const found = await sessionKeysOf(connection, keys, subject, property);
      erasures.push({ rows: await toErase.addSessions(property, found) });
    }
  }
  // Rows that expired earlier may still be in the blocks of the file.
  const { share } = await deadShareOf(connection);
  if (!toErase.isEmpty || share > 0) await rewriteDatabase(database, connection, terms, toErase);
  return erasures;
}

interface Lookups {
  keys: KeyHasher;
  terms: TermDictionary;
}

/** Collects what a rewrite leaves out. Each addition returns the number of its events that were not added before. */
class ToErase implements Excluded {
  readonly sessions: SessionSet[] = [];
  readonly properties: number[] = [];
  readonly #connection: DuckDBConnection;
  readonly #seen = new Set<string>();
  /** Events of the sessions, by property. */
  readonly #counted = new Map<number, number>();

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  get isEmpty(): boolean {
    return this.sessions.length === 0 && this.properties.length === 0;
  }

  /** Sessions of the property that are erased. */
  keysOf(property: number): readonly bigint[] | 'all' {
    if (this.properties.includes(property)) return 'all';
    return this.sessions.filter((set) => set.property === property).flatMap((set) => set.keys);
  }

  async addSessions(property: number, keys: readonly bigint[]): Promise<number> {
    const unseen = keys.filter((key) => !this.#seen.has(`${property}/${key}`));
    if (unseen.length === 0 || this.properties.includes(property)) return 0;
    for (const key of unseen) this.#seen.add(`${property}/${key}`);
    const added = { property, keys: unseen };
    this.sessions.push(added);
    const rows = await countEvents(this.#connection, added);
    this.#counted.set(property, (this.#counted.get(property) ?? 0) + rows);
    return rows;
  }

  async addProperty(property: number): Promise<number> {
    if (this.properties.includes(property)) return 0;
    this.properties.push(property);
    return (await countAllEvents(this.#connection, property)) - (this.#counted.get(property) ?? 0);
  }
}

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
