import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { overwriteFreePages } from './free-pages.ts';
import { type IdempotencyMark, IdempotencyMarks } from './idempotency-marks.ts';
import { JournalEntries, type JournalRow } from './journal-entries.ts';
import type { JournalLimits } from './journal-limits.ts';

/** Entries that are read at once. */
const READ_ROWS = 20;

/** How long another process that reads the file may keep its log from being emptied. */
const EMPTY_LOG_MS = 60_000;
const BUSY_MS = 5000;

export interface JournalWrite {
  payload: string;
  idempotency?: IdempotencyMark;
}

/**
 * `replayed`: the same request was stored before; `reused`: the key belongs to another request; `full`: there is no
 * room to remember the key, so nothing was stored.
 */
export type WriteOutcome = 'stored' | 'replayed' | 'reused' | 'full';

export interface JournalOptions {
  limits: JournalLimits;
  /** Whether to go on with a store that lacks what it once had. */
  acceptLoss?: boolean | undefined;
}

/**
 * The durable log in front of the event store: one row per accepted request in a SQLite file of its own.
 * `commit` returns when its rows are on disk. It blocks its thread meanwhile, so it lives on the storage thread.
 */
export class Journal {
  readonly #db: DatabaseSyncInstance;
  readonly #entries: JournalEntries;
  readonly #marks: IdempotencyMarks;
  #lastSeq: number;
  #bytes: number;

  /** @param watermark position the event store has reached; numbers are never given twice, even when the file is lost */
  constructor(file: string, watermark: number, { limits, acceptLoss = false }: JournalOptions) {
    this.#db = new DatabaseSync(file);
    // secure_delete: rows that share a page with others are overwritten at once, which costs no further write.
    this.#db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST;
       PRAGMA busy_timeout = ${BUSY_MS};`,
    );
    this.#db.exec(`
      CREATE TABLE IF NOT EXISTS handed_over (seq INTEGER NOT NULL);
      INSERT INTO handed_over SELECT 0 WHERE NOT EXISTS (SELECT * FROM handed_over);
    `);
    if (!acceptLoss) refuseLoss(watermark, handedOver(this.#db));
    this.#entries = new JournalEntries(this.#db);
    this.#marks = new IdempotencyMarks(this.#db, limits);
    this.#handOver(watermark);
    const { last, length } = this.#entries.state();
    this.#lastSeq = Math.max(last, watermark);
    this.#bytes = length;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Size of the entries that have not been pruned. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Size of the idempotency keys. */
  get markBytes(): number {
    return this.#marks.bytes;
  }

  /** Makes the writes durable in one transaction; throws when any of them may not be on disk. */
  commit(writes: readonly JournalWrite[], now: number): { outcomes: WriteOutcome[]; stored: JournalRow[] } {
    const outcomes: WriteOutcome[] = [];
    const stored: JournalRow[] = [];
    let seq = this.#lastSeq;
    let bytes = 0;
    this.#db.exec('BEGIN IMMEDIATE');
    for (const { payload, idempotency } of writes) {
      const claim = idempotency === undefined ? 'new' : this.#marks.claim(idempotency, now);
      outcomes.push(claim === 'new' ? 'stored' : claim);
      if (claim !== 'new') continue;
      seq += 1;
      bytes += payload.length;
      this.#entries.insert(seq, payload);
      stored.push({ seq, payload });
    }
    this.#marks.saveCounts();
    this.#db.exec('COMMIT');
    this.#lastSeq = seq;
    this.#bytes += bytes;
    return { outcomes, stored };
  }

  /** Entries after a position, oldest first; a few at a time, because each may be large. */
  read(after: number, maxRows: number, maxLength: number): JournalRow[] {
    const rows: JournalRow[] = [];
    for (let length = 0; rows.length < maxRows && length < maxLength; ) {
      const found = this.#entries.read(rows.at(-1)?.seq ?? after, READ_ROWS);
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
    this.#inTransaction(() => {
      this.#entries.deleteUpTo(upTo);
      this.#db.prepare('UPDATE handed_over SET seq = ? WHERE seq <> ?').run(upTo, upTo);
    });
  }

  #inTransaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Deletes a few of the idempotency keys that have expired; answers whether there may be more. */
  forgetOldKeys(now: number): boolean {
    return this.#inTransaction(() => this.#marks.forgetOld(now));
  }

  /** From now on nothing is written to pages that hold the entries of now. All before the last call were pruned. */
  separate(): void {
    this.#entries.switchTables();
  }

  /**
   * Overwrites what pruned entries from before `separate` have left in the files, in steps of a few milliseconds with
   * a pause after each.
   */
  async scrub(pause: () => Promise<unknown>): Promise<void> {
    this.#entries.clearUnusedTable();
    await overwriteFreePages(this.#db, pause);
    const deadline = performance.now() + EMPTY_LOG_MS;
    while (!this.#emptyLog()) {
      if (performance.now() > deadline) throw new Error('another process keeps reading journal.db');
      await pause();
    }
  }

  #emptyLog(): boolean {
    // Commits must not wait until somebody else has finished reading.
    this.#db.exec('PRAGMA busy_timeout = 0');
    try {
      return this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get().busy === 0;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    }
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
