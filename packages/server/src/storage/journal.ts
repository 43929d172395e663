import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { DAY_MS } from '@switchyard/core/time';

/** How long an idempotency key is remembered. */
const IDEMPOTENCY_MS = DAY_MS;

/** Entries that are read at once. */
const READ_ROWS = 20;

export interface IdempotencyMark {
  /** Property and key of the caller, in one string. */
  key: string;
  /** Tells requests with the same key but another body apart. */
  fingerprint: string;
}

export interface JournalWrite {
  payload: string;
  idempotency?: IdempotencyMark;
}

/** `replayed`: the same request was stored before; `reused`: the key belongs to another request. */
export type WriteOutcome = 'stored' | 'replayed' | 'reused';

export interface JournalRow {
  seq: number;
  payload: string;
}

/**
 * The durable log in front of the event store: one row per accepted request in a SQLite file of its own.
 * `commit` returns when its rows are on disk. It blocks its thread meanwhile, so it lives on the storage thread.
 */
export class Journal {
  readonly #db: DatabaseSyncInstance;
  readonly #insert: StatementSyncInstance;
  readonly #findKey: StatementSyncInstance;
  readonly #saveKey: StatementSyncInstance;
  #lastSeq: number;
  #bytes: number;

  /**
   * @param watermark position the event store has reached; numbers are never given twice, even when the file is lost
   * @param acceptLoss whether a store that lacks what it once had may be gone on with
   */
  constructor(file: string, watermark: number, acceptLoss = false) {
    this.#db = new DatabaseSync(file);
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
    this.#db.exec(`
      CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY, payload TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS idempotency (
        key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, created_at INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS idempotency_by_age ON idempotency (created_at);
      CREATE TABLE IF NOT EXISTS handed_over (seq INTEGER NOT NULL);
      INSERT INTO handed_over SELECT 0 WHERE NOT EXISTS (SELECT * FROM handed_over);
    `);
    if (!acceptLoss) refuseLoss(watermark, handedOver(this.#db));
    this.#insert = this.#db.prepare('INSERT INTO entries (seq, payload) VALUES (?, ?)');
    this.#findKey = this.#db.prepare('SELECT fingerprint FROM idempotency WHERE key = ? AND created_at > ?');
    this.#saveKey = this.#db.prepare(
      'INSERT OR REPLACE INTO idempotency (key, fingerprint, created_at) VALUES (?, ?, ?)',
    );
    this.#handOver(watermark);
    const state = this.#db
      .prepare(
        'SELECT coalesce(max(seq), 0) AS last, coalesce(sum(length(payload)), 0) AS bytes FROM entries',
      )
      .get() as { last: number; bytes: number };
    this.#lastSeq = Math.max(state.last, watermark);
    this.#bytes = state.bytes;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Size of the entries that have not been pruned. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Makes the writes durable in one transaction; throws when any of them may not be on disk. */
  commit(writes: readonly JournalWrite[], now: number): { outcomes: WriteOutcome[]; stored: JournalRow[] } {
    const outcomes: WriteOutcome[] = [];
    const stored: JournalRow[] = [];
    let seq = this.#lastSeq;
    let bytes = 0;
    this.#db.exec('BEGIN IMMEDIATE');
    for (const { payload, idempotency } of writes) {
      const outcome = idempotency === undefined ? 'stored' : this.#claim(idempotency, now);
      outcomes.push(outcome);
      if (outcome !== 'stored') continue;
      seq += 1;
      bytes += payload.length;
      this.#insert.run(seq, payload);
      stored.push({ seq, payload });
    }
    this.#db.exec('COMMIT');
    this.#lastSeq = seq;
    this.#bytes += bytes;
    return { outcomes, stored };
  }

  #claim({ key, fingerprint }: IdempotencyMark, now: number): WriteOutcome {
    const known = this.#findKey.get(key, now - IDEMPOTENCY_MS) as { fingerprint: string } | undefined;
    if (known !== undefined) return known.fingerprint === fingerprint ? 'replayed' : 'reused';
    this.#saveKey.run(key, fingerprint, now);
    return 'stored';
  }

  /** Entries after a position, oldest first; a few at a time, because each may be large. */
  read(after: number, maxRows: number, maxLength: number): JournalRow[] {
    const next = this.#db.prepare('SELECT seq, payload FROM entries WHERE seq > ? ORDER BY seq LIMIT ?');
    const rows: JournalRow[] = [];
    for (let length = 0; rows.length < maxRows && length < maxLength; ) {
      const found = next.all(rows.at(-1)?.seq ?? after, READ_ROWS) as unknown as JournalRow[];
      for (const row of found) length += row.payload.length;
      rows.push(...found);
      if (found.length < READ_ROWS) break;
    }
    return rows;
  }

  /** Drops the entries that the event store has. */
  prune(upTo: number, bytes: number): void {
    this.#handOver(upTo);
    this.#bytes -= bytes;
  }

  /** What is deleted here, the store must have from now on. */
  #handOver(upTo: number): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.#db.prepare('DELETE FROM entries WHERE seq <= ?').run(upTo);
      this.#db.prepare('UPDATE handed_over SET seq = ? WHERE seq <> ?').run(upTo, upTo);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  forgetOldKeys(now: number): void {
    this.#db.prepare('DELETE FROM idempotency WHERE created_at <= ?').run(now - IDEMPOTENCY_MS);
  }

  /** Rewrites the files, so that nothing of deleted entries stays in them. */
  scrub(): void {
    this.#db.exec('VACUUM');
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#db.close();
  }
}

function handedOver(journal: DatabaseSyncInstance): number {
  return Number(journal.prepare('SELECT max(seq) AS seq FROM handed_over').get().seq);
}

/** How far the event store has been, read without changing anything; 0 when the journal cannot tell. */
export function positionReached(file: string): number {
  try {
    const journal = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    try {
      return handedOver(journal);
    } finally {
      journal.close();
    }
  } catch {
    // Not there, of an older version, or damaged, which whoever opens it to write will meet.
    return 0;
  }
}

/** The file of the store, or its log, was removed, cut, or replaced by an older one: to go on would hide that. */
export function refuseLoss(watermark: number, reached: number): void {
  if (watermark >= reached) return;
  throw Object.assign(
    new Error(
      `The event store lacks events that it had: it ends at position ${watermark}, and had reached ${reached}. ` +
        'Were events.duckdb or events.duckdb.wal removed or replaced? Restore them; ' +
        'or start once with "serve --accept-loss" to go on without those events.',
    ),
    { code: 'STORE_BEHIND' },
  );
}
