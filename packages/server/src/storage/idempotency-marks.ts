import { createHash } from 'node:crypto';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { DAY_MS } from '@switchyard/core/time';

/** How long an idempotency key is remembered. */
const IDEMPOTENCY_MS = DAY_MS;

/** On disk, index included; measured. */
const MARK_BYTES = 80;

/** Rows that are deleted at once: about 10 ms, because their places in the index are scattered. */
const SLICE_ROWS = 500;

export interface IdempotencyMark {
  /** Of the API key that the request came with. */
  kind: 'secret' | 'public';
  /** Property, kind and key of the caller, in one string. */
  key: string;
  /** SHA-256 in base64url; tells requests with the same key but another body apart. */
  fingerprint: string;
}

/** Whether a key is new; `full`: it is, but there is no room to remember it. */
export type ClaimOutcome = 'new' | 'replayed' | 'reused' | 'full';

/**
 * The idempotency keys of the last 24 hours, as hashes, in the order of their arrival.
 *
 * A mark of a secret key is a promise: when there is no room for another one, new keys are refused until old ones
 * expire. Everybody can have the public key, so its marks have a share of their own, and the oldest make room.
 */
export class IdempotencyMarks {
  readonly #shares: Record<IdempotencyMark['kind'], MarkTable>;
  readonly #former: FormerMarks;

  constructor(db: DatabaseSyncInstance, limits: { secretMarks: number; publicMarks: number }) {
    this.#shares = {
      secret: new MarkTable(db, 'secret_marks', limits.secretMarks),
      public: new MarkTable(db, 'public_marks', limits.publicMarks),
    };
    this.#former = new FormerMarks(db);
  }

  get bytes(): number {
    return this.#shares.secret.bytes + this.#shares.public.bytes;
  }

  claim(mark: IdempotencyMark, now: number): ClaimOutcome {
    const share = this.#shares[mark.kind];
    const key = createHash('sha256').update(mark.key).digest().subarray(0, 16);
    const fingerprint = Buffer.from(mark.fingerprint, 'base64url').subarray(0, 16);
    const since = now - IDEMPOTENCY_MS;
    const isSame = share.isSame(key, fingerprint, since) ?? this.#former.isSame(mark, since);
    if (isSame !== undefined) return isSame ? 'replayed' : 'reused';
    if (share.isFull) {
      if (mark.kind === 'secret') return 'full';
      share.dropOldest();
    }
    share.add(key, fingerprint, now);
    return 'new';
  }

  /** Deletes a slice of what has expired; answers whether there may be more. */
  forgetOld(now: number): boolean {
    const before = now - IDEMPOTENCY_MS;
    const { secret, public: open } = this.#shares;
    return secret.deleteSlice(before) || open.deleteSlice(before) || this.#former.deleteSlice(before);
  }
}

/** The ids of the rows run without gaps as good as always: their first and last tell how many there are. */
class MarkTable {
  readonly #maxRows: number;
  readonly #find: StatementSyncInstance;
  readonly #insert: StatementSyncInstance;
  readonly #deleteBefore: StatementSyncInstance;
  readonly #firstKept: StatementSyncInstance;
  #first: number;
  #next: number;

  constructor(db: DatabaseSyncInstance, table: 'secret_marks' | 'public_marks', maxBytes: number) {
    this.#maxRows = Math.max(1, Math.floor(maxBytes / MARK_BYTES));
    db.exec(`
      CREATE TABLE IF NOT EXISTS ${table} (
        id INTEGER PRIMARY KEY, key BLOB NOT NULL, fingerprint BLOB NOT NULL, created_at INTEGER NOT NULL
      );
      CREATE UNIQUE INDEX IF NOT EXISTS ${table}_by_key ON ${table} (key);
    `);
    this.#find = db.prepare(`SELECT fingerprint FROM ${table} WHERE key = ? AND created_at > ?`);
    // A row with the same key has expired.
    this.#insert = db.prepare(
      `INSERT OR REPLACE INTO ${table} (id, key, fingerprint, created_at) VALUES (?, ?, ?, ?)`,
    );
    this.#deleteBefore = db.prepare(`DELETE FROM ${table} WHERE id < ?`);
    this.#firstKept = db.prepare(
      `SELECT id FROM ${table} WHERE id < ? AND created_at > ? ORDER BY id LIMIT 1`,
    );
    const { first, last } = db
      .prepare(
        `SELECT coalesce((SELECT min(id) FROM ${table}), 1) AS first,
                coalesce((SELECT max(id) FROM ${table}), 0) AS last`,
      )
      .get() as { first: number; last: number };
    this.#first = first;
    this.#next = last + 1;
  }

  get bytes(): number {
    return this.#rows * MARK_BYTES;
  }

  get isFull(): boolean {
    return this.#rows >= this.#maxRows;
  }

  get #rows(): number {
    return this.#next - this.#first;
  }

  /** Whether the key came with this very request before; undefined: it did not come. */
  isSame(key: Buffer, fingerprint: Buffer, since: number): boolean | undefined {
    const row = this.#find.get(key, since) as { fingerprint: Uint8Array } | undefined;
    return row === undefined ? undefined : fingerprint.equals(row.fingerprint);
  }

  add(key: Buffer, fingerprint: Buffer, now: number): void {
    this.#insert.run(this.#next, key, fingerprint, now);
    this.#next++;
  }

  dropOldest(): void {
    this.#delete(this.#first + 1);
  }

  /** From the oldest on, up to the first that has not expired; answers whether the slice was a whole one. */
  deleteSlice(before: number): boolean {
    const end = Math.min(this.#first + SLICE_ROWS, this.#next);
    if (end === this.#first) return false;
    const kept = this.#firstKept.get(end, before) as { id: number } | undefined;
    this.#delete(kept?.id ?? end);
    return kept === undefined;
  }

  #delete(end: number): void {
    if (end <= this.#first) return;
    this.#deleteBefore.run(end);
    this.#first = end;
  }
}

/** The table of version 0.1, with whole keys; it goes once all of them have expired. */
class FormerMarks {
  readonly #db: DatabaseSyncInstance;
  #find: StatementSyncInstance | undefined;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    const table = db.prepare(`SELECT name FROM sqlite_master WHERE name = 'idempotency'`).get();
    if (table === undefined) return;
    this.#find = db.prepare('SELECT fingerprint FROM idempotency WHERE key = ? AND created_at > ?');
  }

  isSame({ key, fingerprint }: IdempotencyMark, since: number): boolean | undefined {
    const row = this.#find?.get(key, since) as { fingerprint: string } | undefined;
    return row === undefined ? undefined : row.fingerprint === fingerprint;
  }

  deleteSlice(before: number): boolean {
    if (this.#find === undefined) return false;
    const { changes } = this.#db
      .prepare(
        `DELETE FROM idempotency WHERE key IN
           (SELECT key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
      )
      .run(before, SLICE_ROWS);
    if (changes > 0) return true;
    if (this.#db.prepare('SELECT 1 FROM idempotency LIMIT 1').get() === undefined) {
      this.#db.exec('DROP TABLE idempotency');
      this.#find = undefined;
    }
    return false;
  }
}
