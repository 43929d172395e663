import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { HOUR_MS } from '@switchyard/core/time';

/** Measured size on disk. */
const MARK_BYTES = 64;

/** A generation is closed when it holds 1/GENERATIONS of the max rows, or after GENERATION_MS. */
const GENERATIONS = 4;
const GENERATION_MS = 6 * HOUR_MS;

/** Rows deleted at a time; they are adjacent on disk. */
const SLICE_ROWS = 500;

interface Generation {
  id: number;
  firstAt: number;
  lastAt: number;
  rows: number;
}

/**
 * Idempotency marks of one kind, in consecutive generations. Each generation is sorted by key, so that an expired one
 * is deleted page by page; expired marks spread over one large table would cost a page write each. A lookup searches
 * the few generations one by one.
 */
export class MarkStore {
  readonly #kind: string;
  readonly #maxRows: number;
  readonly #find: StatementSyncInstance;
  readonly #insert: StatementSyncInstance;
  readonly #deleteSome: StatementSyncInstance;
  readonly #openGeneration: StatementSyncInstance;
  readonly #saveGeneration: StatementSyncInstance;
  readonly #dropGeneration: StatementSyncInstance;
  /** Oldest first. */
  readonly #generations: Generation[];
  #rows: number;
  #isCountSaved = true;

  constructor(db: DatabaseSyncInstance, kind: 'secret' | 'public', maxBytes: number) {
    this.#kind = kind;
    this.#maxRows = Math.max(1, Math.floor(maxBytes / MARK_BYTES));
    db.exec(`
      CREATE TABLE IF NOT EXISTS mark_generations (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
        rows INTEGER NOT NULL
      );
      CREATE TABLE IF NOT EXISTS marks (
        generation INTEGER NOT NULL, key BLOB NOT NULL, fingerprint BLOB NOT NULL, created_at INTEGER NOT NULL,
        PRIMARY KEY (generation, key)
      ) WITHOUT ROWID;
    `);
    this.#find = db.prepare(
      'SELECT fingerprint FROM marks WHERE generation = ? AND key = ? AND created_at > ?',
    );
    this.#insert = db.prepare(
      'INSERT OR REPLACE INTO marks (generation, key, fingerprint, created_at) VALUES (?, ?, ?, ?)',
    );
    this.#deleteSome = db.prepare(
      `DELETE FROM marks WHERE generation = ?1
         AND key IN (SELECT key FROM marks WHERE generation = ?1 ORDER BY key LIMIT ?2)`,
    );
    this.#openGeneration = db.prepare(
      'INSERT INTO mark_generations (kind, first_at, last_at, rows) VALUES (?, ?, ?, 0)',
    );
    this.#saveGeneration = db.prepare('UPDATE mark_generations SET last_at = ?, rows = ? WHERE id = ?');
    this.#dropGeneration = db.prepare('DELETE FROM mark_generations WHERE id = ?');
    this.#generations = db
      .prepare(
        `SELECT id, first_at AS firstAt, last_at AS lastAt, rows FROM mark_generations WHERE kind = ? ORDER BY id`,
      )
      .all(kind) as unknown as Generation[];
    this.#rows = this.#generations.reduce((sum, { rows }) => sum + rows, 0);
  }

  get bytes(): number {
    return this.#rows * MARK_BYTES;
  }

  get isFull(): boolean {
    return this.#rows >= this.#maxRows;
  }

  /** Whether the key was used for the same request; undefined if the key is new. */
  matches(key: Buffer, fingerprint: Buffer, since: number): boolean | undefined {
    for (let i = this.#generations.length - 1; i >= 0; i--) {
      const { id, lastAt } = this.#generations[i]!;
      if (lastAt <= since) continue;
      const row = this.#find.get(id, key, since) as { fingerprint: Uint8Array } | undefined;
      if (row !== undefined) return fingerprint.equals(row.fingerprint);
    }
    return undefined;
  }

  add(key: Buffer, fingerprint: Buffer, now: number): void {
    const generation = this.#current(now);
    this.#insert.run(generation.id, key, fingerprint, now);
    generation.rows++;
    generation.lastAt = Math.max(generation.lastAt, now);
    this.#rows++;
    this.#isCountSaved = false;
  }

  /** Frees space for more marks. */
  dropOldest(): void {
    this.#deleteFrom(this.#generations[0]!, Math.ceil(this.#maxRows / GENERATIONS / 10));
  }

  deleteExpired(before: number): boolean {
    const expired = this.#generations.find(({ lastAt }) => lastAt <= before);
    if (expired === undefined) return false;
    this.#deleteFrom(expired, SLICE_ROWS);
    return true;
  }

  saveCount(): void {
    if (this.#isCountSaved) return;
    const { id, lastAt, rows } = this.#generations.at(-1)!;
    this.#saveGeneration.run(lastAt, rows, id);
    this.#isCountSaved = true;
  }

  #current(now: number): Generation {
    const last = this.#generations.at(-1);
    const isOpen =
      last !== undefined &&
      last.rows < this.#maxRows / GENERATIONS &&
      Math.abs(now - last.firstAt) < GENERATION_MS;
    if (isOpen) return last;
    this.saveCount();
    const { lastInsertRowid } = this.#openGeneration.run(this.#kind, now, now);
    const opened = { id: Number(lastInsertRowid), firstAt: now, lastAt: now, rows: 0 };
    this.#generations.push(opened);
    return opened;
  }

  /** Drops the generation together with its last row. */
  #deleteFrom(generation: Generation, count: number): void {
    const limit = Math.min(count, SLICE_ROWS);
    const deleted = Number(this.#deleteSome.run(generation.id, limit).changes);
    const removed = deleted < limit ? generation.rows : Math.min(deleted, generation.rows);
    generation.rows -= removed;
    this.#rows -= removed;
    if (deleted === limit && generation.rows > 0) {
      this.#saveGeneration.run(generation.lastAt, generation.rows, generation.id);
      return;
    }
    this.#dropGeneration.run(generation.id);
    this.#generations.splice(this.#generations.indexOf(generation), 1);
  }
}
