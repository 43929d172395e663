import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { HOUR_MS } from '@switchyard/core/time';
import { fileError } from '../../../platform/errors/file-error.ts';
import { CommitMark } from '../../../platform/files/commit-mark.ts';
import { overwriteFreePages } from './free-pages.ts';
import { JournalEntries, type JournalRow } from './journal-entries.ts';
import { assertComplete, assertNoLoss, handedOver, lastPosition } from './journal-loss.ts';
import { IdempotencyMarks } from './marks/idempotency-marks.ts';
import type { IdempotencyMark } from './marks/mark.ts';
import { nodeIdOf } from './node-id.ts';
import { type PlannedBatch, PlannedBatches } from './planned-batches.ts';

/** Entries read at a time. */
const READ_ROWS = 20;

/** Entries deleted at a time; commits wait meanwhile. */
const DELETE_ROWS = 500;

/** How long to wait for readers in other processes before truncating the write-ahead log fails. */
const TRUNCATE_TIMEOUT_MS = 60_000;
const BUSY_MS = 5000;

/** How long remains of entries may stay in the file. */
const MAX_REMAINS_MS = 20 * HOUR_MS;

/** When remains of entries up to a position were overwritten. */
interface Scrubbed {
  at: number;
  seq: number;
}

export interface JournalWrite {
  payload: string;
  /** A second entry of the same HTTP request: stored with the first, or not at all. */
  secondPayload?: string;
  idempotency?: IdempotencyMark;
}

/** The size that counts against the limits of the journal. */
export const lengthOf = ({ payload, secondPayload }: JournalWrite): number =>
  payload.length + (secondPayload?.length ?? 0);

/** `replayed`: the same request was stored before; `reused`: the key belongs to another request. */
export type WriteOutcome = 'stored' | 'replayed' | 'reused';

export interface JournalOptions {
  /** Max size of entries that a backup keeps. */
  maxBytes: number;
  /** File of the idempotency keys; without it, no write has one. */
  marksFile?: string | undefined;
  /** Name of this journal in the event store; by default the node's id, which is created with the file. */
  source?: string | undefined;
  /** The file is opened before the position of the event store is known, which `confirm` checks later. */
  watermark?: number | undefined;
  /** Start even if the store is missing events that it had stored. */
  acceptLoss?: boolean | undefined;
}

/**
 * The durable log in front of the event store: one row per accepted request, or two, in a separate SQLite file.
 * `commit` blocks its thread until the rows are on disk, so the journal lives on the storage thread.
 */
export class Journal {
  readonly source: string;
  readonly #file: string;
  readonly #db: DatabaseSyncInstance;
  readonly #entries: JournalEntries;
  readonly #marks: IdempotencyMarks | undefined;
  readonly #maxHeldBytes: number;
  #lastSeq: number;
  /** The last position when the file was opened: later ones are not in the event store before `confirm`. */
  #openedAt: number;
  #bytes: number;
  /** Entries that are in the event store, but not deleted yet, because a backup copies them. */
  #held: { deletedUpTo: number; upTo: number; bytes: number } | undefined;
  readonly #batches: PlannedBatches;
  readonly #acceptLoss: boolean;
  readonly #mark: CommitMark;
  #scrubbed: Scrubbed;
  #rotated: Scrubbed | undefined;
  /** The last position that was acknowledged before the file was opened. */
  readonly #acknowledged: number;

  constructor(file: string, { maxBytes, marksFile, source, watermark, acceptLoss = false }: JournalOptions) {
    this.#file = file;
    this.#acceptLoss = acceptLoss;
    this.#maxHeldBytes = maxBytes;
    this.#mark = new CommitMark(file);
    this.#acknowledged = this.#mark.value ?? 0;
    if (watermark !== undefined && !acceptLoss) {
      assertComplete(file, Math.max(watermark, lastPosition(file)), this.#acknowledged);
    }
    this.#db = new DatabaseSync(file);
    // secure_delete = FAST overwrites deleted rows in pages that are written anyway.
    this.#db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST;
       PRAGMA busy_timeout = ${BUSY_MS};`,
    );
    this.#db.exec(`
      CREATE TABLE IF NOT EXISTS handed_over (seq INTEGER NOT NULL);
      INSERT INTO handed_over SELECT 0 WHERE NOT EXISTS (SELECT * FROM handed_over);
      CREATE TABLE IF NOT EXISTS scrubbed (at INTEGER NOT NULL, seq INTEGER NOT NULL);
      INSERT INTO scrubbed SELECT ${Date.now()}, 0 WHERE NOT EXISTS (SELECT * FROM scrubbed);
    `);
    this.#scrubbed = this.#db.prepare('SELECT at, seq FROM scrubbed').get() as unknown as Scrubbed;
    const reached = handedOver(this.#db);
    if (watermark !== undefined && !acceptLoss) assertNoLoss(watermark, reached);
    this.source = source ?? nodeIdOf(this.#db);
    this.#entries = new JournalEntries(this.#db);
    if (marksFile !== undefined) this.#marks = openMarks(this.#db, marksFile);
    this.#batches = new PlannedBatches(this.#db);
    const { last, length } = this.#continueAfter(watermark ?? reached);
    this.#lastSeq = last;
    this.#openedAt = last;
    this.#bytes = length;
    if (acceptLoss) this.#mark.set(last);
  }

  /** Position up to which the event store has the entries, as far as the journal knows. */
  get handedOver(): number {
    return handedOver(this.#db);
  }

  /**
   * Compares the journal with the event store once it responds, before anything is loaded: throws if events are missing
   * there, and deletes entries that it has.
   */
  confirm(watermark: number): void {
    if (!this.#acceptLoss) {
      assertNoLoss(watermark, this.handedOver);
      assertComplete(this.#file, Math.max(watermark, this.#openedAt), this.#acknowledged);
    }
    // The file was replaced by an older copy: the store has other entries at the positions that were given since.
    const distance = watermark - this.#openedAt;
    if (distance > 0) {
      this.#inTransaction(() => this.#entries.move(this.#openedAt, distance));
      this.#lastSeq += distance;
      this.#openedAt = watermark;
    }
    const { last, length } = this.#continueAfter(watermark);
    this.#lastSeq = Math.max(last, this.#lastSeq);
    this.#bytes = length;
  }

  /** Positions continue after the watermark even if the journal file was lost. */
  #continueAfter(watermark: number): { last: number; length: number } {
    this.#handOver(watermark);
    const { last, length } = this.#entries.state();
    return { last: Math.max(last, watermark), length };
  }

  /** The batch that is being stored, if the event store may have a part of it. */
  get planned(): PlannedBatch | undefined {
    return this.#batches.current;
  }

  /** Makes the boundaries of a batch durable, before any of it is stored. */
  plan(batch: PlannedBatch): void {
    this.#batches.plan(batch);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Size of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Size of the idempotency keys. */
  get markBytes(): number {
    return this.#marks?.bytes ?? 0;
  }

  /** Makes the writes durable in one transaction; throws if any of them may not be on disk. */
  commit(writes: readonly JournalWrite[], now: number): { outcomes: WriteOutcome[]; stored: JournalRow[] } {
    const outcomes: WriteOutcome[] = [];
    const stored: JournalRow[] = [];
    let seq = this.#lastSeq;
    let bytes = 0;
    this.#db.exec('BEGIN IMMEDIATE');
    const insert = (payload: string) => {
      seq += 1;
      bytes += payload.length;
      this.#entries.insert(seq, payload);
      stored.push({ seq, payload });
    };
    for (const { payload, secondPayload, idempotency } of writes) {
      const claim = idempotency === undefined ? 'new' : this.#marks!.claim(idempotency, now);
      outcomes.push(claim === 'new' ? 'stored' : claim);
      if (claim !== 'new') continue;
      insert(payload);
      if (secondPayload !== undefined) insert(secondPayload);
    }
    this.#marks?.save(now);
    this.#db.exec('COMMIT');
    this.#lastSeq = seq;
    this.#bytes += bytes;
    this.#mark.advance(seq);
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

  /** Deletes entries that are in the event store, in small steps. */
  async prune(upTo: number, bytes: number, pause: () => Promise<unknown>): Promise<void> {
    this.#bytes -= bytes;
    const held = this.#held;
    if (held !== undefined) {
      held.upTo = upTo;
      held.bytes += bytes;
      if (held.bytes <= this.#maxHeldBytes) return;
      // The backup notices that entries are missing, and fails; a full disk would be worse.
      this.#held = undefined;
    }
    const from = this.handedOver;
    // What a crash restores is deleted at the next start, because the event store has it.
    this.#withoutSync(() => this.#recordHandOver(upTo));
    for (let position = from; position < upTo; ) {
      position = Math.min(position + DELETE_ROWS, upTo);
      this.#withoutSync(() => this.#entries.deleteUpTo(position));
      await pause();
    }
  }

  /** Keeps entries after a position until `releaseEntries`, even when they are pruned. */
  holdEntries(after: number): void {
    this.#held = { deletedUpTo: after, upTo: after, bytes: 0 };
  }

  /** Deletes the held entries that were pruned, in small steps. */
  async releaseEntries(pause: () => Promise<unknown>): Promise<void> {
    for (let held = this.#held; held !== undefined && held.deletedUpTo < held.upTo; held = this.#held) {
      held.deletedUpTo = Math.min(held.deletedUpTo + DELETE_ROWS, held.upTo);
      this.#handOver(held.deletedUpTo);
      await pause();
    }
    this.#held = undefined;
  }

  /** Deletes entries and records that the event store must have them from now on. */
  #handOver(upTo: number): void {
    this.#inTransaction(() => {
      this.#entries.deleteUpTo(upTo);
      this.#recordHandOver(upTo);
    });
  }

  #recordHandOver(upTo: number): void {
    this.#batches.finish(upTo);
    this.#db.prepare('UPDATE handed_over SET seq = ? WHERE seq <> ?').run(upTo, upTo);
  }

  /** A transaction that becomes durable with the next commit, so that it costs no fsync of its own. */
  #withoutSync(work: () => void): void {
    this.#db.exec('PRAGMA synchronous = NORMAL');
    try {
      this.#inTransaction(work);
    } finally {
      this.#db.exec('PRAGMA synchronous = FULL');
    }
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

  /** Does some of the work that idempotency keys need; returns whether there may be more. */
  maintainMarks(now: number): boolean {
    return this.#marks?.step(now) ?? false;
  }

  /** Whether there may be remains of entries that were pruned almost a day ago. */
  isScrubDue(now: number): boolean {
    const { at, seq } = this.#scrubbed;
    // A time in the future was written before the clock was set back.
    return seq < this.#lastSeq && (now - at >= MAX_REMAINS_MS || at > now);
  }

  /** Writes later entries to other pages. Entries from before the previous call must have been pruned. */
  rotate(now: number): void {
    this.#entries.switchTables();
    this.#rotated = { at: now, seq: this.#lastSeq };
  }

  /**
   * Overwrites the remains of pruned entries from before `rotate`, in steps of a few milliseconds with a pause after
   * each.
   */
  async scrub(pause: () => Promise<unknown>): Promise<void> {
    this.#entries.clearUnusedTable();
    await overwriteFreePages(this.#db, pause);
    const deadline = performance.now() + TRUNCATE_TIMEOUT_MS;
    while (!this.#truncateLog()) {
      if (performance.now() > deadline) throw new Error('journal.db is in use by another process');
      await pause();
    }
    if (this.#rotated === undefined) return;
    this.#db.prepare('UPDATE scrubbed SET at = ?, seq = ?').run(this.#rotated.at, this.#rotated.seq);
    this.#scrubbed = this.#rotated;
  }

  #truncateLog(): boolean {
    // Commits must not wait for readers in other processes.
    this.#db.exec('PRAGMA busy_timeout = 0');
    try {
      return this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get().busy === 0;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    }
  }

  close(): void {
    this.#marks?.close();
    this.#db.close();
    this.#mark.sync();
    this.#mark.close();
  }
}

function openMarks(db: DatabaseSyncInstance, file: string): IdempotencyMarks {
  try {
    return new IdempotencyMarks(db, file);
  } catch (error) {
    throw fileError(file, error);
  }
}
