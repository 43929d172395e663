import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { HOUR_MS } from '@switchyard/core/time';
import { encodeMark, type IdempotencyMark, isSameRequest, MARK_BYTES } from './mark.ts';
import { MarkRuns } from './mark-runs.ts';
import { RecentMarks } from './recent-marks.ts';

/** A slice becomes a run when it has so many marks, or after so long. */
const SLICE_MARKS = 32_768;
const SLICE_MS = 2 * HOUR_MS;

/** `reused`: the key belongs to another request. */
export type ClaimOutcome = 'new' | 'replayed' | 'reused';

/**
 * The idempotency keys of the last 24 hours, as hashes. The latest ones are in memory, and in the file of the journal,
 * where they become durable in the transaction of their requests. Older ones are in `marks.db`.
 */
export class IdempotencyMarks {
  readonly #db: DatabaseSyncInstance;
  readonly #runs: MarkRuns;
  readonly #insert: StatementSyncInstance;
  readonly #deleteSlice: StatementSyncInstance;
  /** Oldest first. The last one gets new marks, the others become runs. */
  readonly #slices: RecentMarks[] = [];
  /** Marks of the current transaction. */
  #added: Buffer[] = [];

  constructor(db: DatabaseSyncInstance, file: string) {
    this.#db = db;
    this.#runs = new MarkRuns(file);
    db.exec(`CREATE TABLE IF NOT EXISTS recent_marks (
      id INTEGER PRIMARY KEY, slice INTEGER NOT NULL, created_at INTEGER NOT NULL, marks BLOB NOT NULL)`);
    this.#insert = db.prepare('INSERT INTO recent_marks (slice, created_at, marks) VALUES (?, ?, ?)');
    this.#deleteSlice = db.prepare('DELETE FROM recent_marks WHERE slice <= ?');
    // After a crash, the last slice may be in both files.
    this.#deleteSlice.run(this.#runs.slice);
    this.#readSlices();
  }

  #readSlices(): void {
    const rows = this.#db
      .prepare('SELECT slice, created_at AS createdAt, marks FROM recent_marks ORDER BY id')
      .all() as unknown as { slice: number; createdAt: number; marks: Uint8Array }[];
    for (const { slice, createdAt, marks } of rows) {
      if (this.#slices.at(-1)?.slice !== slice) this.#slices.push(new RecentMarks(slice));
      this.#current.add(marks, createdAt);
    }
    if (this.#slices.length === 0) this.#slices.push(new RecentMarks(this.#runs.slice + 1));
  }

  get #current(): RecentMarks {
    return this.#slices.at(-1)!;
  }

  get bytes(): number {
    return this.#slices.reduce((sum, { size }) => sum + size * MARK_BYTES, this.#runs.bytes);
  }

  /** Called in the transaction of the request. */
  claim(request: IdempotencyMark, now: number): ClaimOutcome {
    const mark = encodeMark(this.#runs.salt, request, now);
    const isSame = this.#matches(mark, now);
    if (isSame !== undefined) return isSame ? 'replayed' : 'reused';
    // All marks of a transaction are in one slice.
    if (this.#added.length === 0) this.#closeSlice(now);
    this.#current.add(mark, now);
    this.#added.push(mark);
    return 'new';
  }

  #matches(mark: Buffer, now: number): boolean | undefined {
    for (let i = this.#slices.length - 1; i >= 0; i--) {
      const slice = this.#slices[i]!;
      const at = slice.find(mark, now);
      if (at !== undefined) return isSameRequest(slice.marks, at, mark, 0);
    }
    return this.#runs.matches(mark, now);
  }

  /** Called at the end of a transaction with claims. */
  save(now: number): void {
    if (this.#added.length === 0) return;
    this.#insert.run(this.#current.slice, now, Buffer.concat(this.#added));
    this.#added = [];
  }

  /** Does some of the work that is due, outside of transactions; returns whether there may be more. */
  step(now: number): boolean {
    this.#closeSlice(now);
    if (this.#slices.length === 1) return this.#runs.step(now);
    const oldest = this.#slices[0]!;
    this.#runs.store(oldest);
    this.#slices.shift();
    this.#deleteSlice.run(oldest.slice);
    return true;
  }

  /** Starts another slice if the current one has enough marks, or is old. */
  #closeSlice(now: number): void {
    const { size, slice, firstAt } = this.#current;
    if (size >= SLICE_MARKS || (size > 0 && Math.abs(now - firstAt) >= SLICE_MS)) {
      this.#slices.push(new RecentMarks(slice + 1));
    }
  }

  close(): void {
    this.#runs.close();
  }
}
