import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Journal } from './journal/journal.ts';
import type { JournalRow } from './journal/journal-entries.ts';

const BATCH_ROWS = 5000;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Max size of rows cached in memory; the rest is read back from the journal. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** The rows of the journal that are not in the event store yet, batch by batch. */
export class LoadableRows {
  readonly #journal: Journal;
  readonly #plansBatches: boolean;
  #loaded: number;
  #cached: JournalRow[] = [];
  #cachedBytes = 0;

  /** @param plansBatches see `EventStore.repeatsBatches` */
  constructor(journal: Journal, plansBatches: boolean) {
    this.#journal = journal;
    this.#plansBatches = plansBatches;
    this.#loaded = this.#beforeNext(journal.handedOver);
  }

  /** Position of the last row that is in the store. */
  get loaded(): number {
    return this.#loaded;
  }

  /** The store has everything up to this position, or lost a part of it for good. */
  skipTo(position: number): void {
    this.#loaded = this.#beforeNext(position);
    this.#cached = [];
    this.#cachedBytes = 0;
  }

  /** After a loss that was accepted, there are no rows between what the store has and what comes next. */
  #beforeNext(position: number): number {
    const next = this.#journal.read(position, 1, 1)[0];
    return next === undefined ? this.#journal.lastSeq : next.seq - 1;
  }

  /** Caches rows that were just committed. */
  offer(rows: readonly JournalRow[]): void {
    const expected = (this.#cached.at(-1)?.seq ?? this.#loaded) + 1;
    // The cache must have no gaps; rows after a gap are read from the journal.
    if (rows[0]?.seq !== expected || this.#cachedBytes >= CACHE_BYTES) return;
    for (const row of rows) {
      this.#cached.push(row);
      this.#cachedBytes += row.payload.length;
    }
  }

  get isBatchFull(): boolean {
    return this.#cached.length >= BATCH_ROWS;
  }

  oldest(): JournalRow | undefined {
    return this.#cached[0] ?? this.#journal.read(this.#loaded, 1, 1)[0];
  }

  /** The next batch; the same one again until `finish`, if batches are repeated. */
  next(): JournalRow[] {
    const { planned } = this.#journal;
    if (planned !== undefined) return this.#plannedRows(planned.to);
    const rows = this.#nextRows();
    const [first, last] = [rows[0], rows.at(-1)];
    if (this.#plansBatches && first !== undefined && last !== undefined) {
      this.#journal.plan({ from: first.seq, to: last.seq });
    }
    return rows;
  }

  #plannedRows(to: number): JournalRow[] {
    const cached = this.#cached.filter(({ seq }) => seq <= to);
    if (cached.at(-1)?.seq === to) return cached;
    const count = to - this.#loaded;
    return this.#journal.read(this.#loaded, count, Number.POSITIVE_INFINITY).slice(0, count);
  }

  #nextRows(): JournalRow[] {
    const waiting =
      this.#cached.length > 0 ? this.#cached : this.#journal.read(this.#loaded, BATCH_ROWS, BATCH_BYTES);
    const rows: JournalRow[] = [];
    let bytes = 0;
    for (const row of waiting) {
      rows.push(row);
      bytes += row.payload.length;
      if (rows.length >= BATCH_ROWS || bytes >= BATCH_BYTES) break;
    }
    return rows;
  }

  /** Call it once the batch is in the store. */
  async finish(rows: readonly JournalRow[]): Promise<void> {
    const last = rows.at(-1)!;
    const bytes = rows.reduce((sum, row) => sum + row.payload.length, 0);
    if (this.#cached[0]?.seq === rows[0]?.seq) {
      this.#cached.splice(0, rows.length);
      this.#cachedBytes -= bytes;
    }
    this.#loaded = last.seq;
    await this.#journal.prune(last.seq, bytes, nextTurn);
  }
}
