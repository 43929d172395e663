import type { DuckDBConnection } from '@duckdb/node-api';
import type { Erasure, Subject } from '../../store/erasure-subject.ts';
import type { DuckDbDatabase } from '../connection/duckdb-database.ts';
import type { KeyHasher } from '../ingest/lookup/key-hasher.ts';
import type { TermDictionary } from '../ingest/lookup/term-dictionary.ts';
import {
  countAllEvents,
  countEvents,
  deadShareOf,
  type Excluded,
  rewriteDatabase,
  type SessionSet,
} from './database-rewrite.ts';
import { eraseRows } from './erase-rows.ts';
import { sessionKeysOf } from './subject-rows.ts';

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
