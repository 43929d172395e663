import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { AcceptedRequest, JournalEntry } from './accepted-request.ts';
import type { EventStore } from './event-store.ts';
import type { Journal } from './journal/journal.ts';
import type { JournalRow } from './journal/journal-entries.ts';

/** How long to wait for more events before loading a batch. */
const LINGER_MS = 250;
const BATCH_ROWS = 5000;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Max size of rows cached in memory; the rest is read back from the journal. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** Rows parsed before yielding to journal commits. */
const PARSE_ROWS = 1000;
const RETRY_MS = { first: 100, max: 5000 };

/** Moves journal entries into the event store in order, in large batches, each exactly once. */
export class Loader {
  readonly #journal: Journal;
  readonly #store: EventStore;
  readonly #onError: (error: unknown) => void;
  #loaded: number;
  #cached: JournalRow[] = [];
  #cachedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #run: Promise<void> | undefined;
  #failure: unknown;
  #paused: Promise<unknown> | undefined;
  #stopped = false;

  constructor(journal: Journal, store: EventStore, watermark: number, onError: (error: unknown) => void) {
    this.#journal = journal;
    this.#store = store;
    this.#loaded = watermark;
    this.#onError = onError;
    if (this.#isBehind()) this.#schedule(0);
  }

  /** Number of acknowledged rows that are not in the store yet. */
  get lag(): number {
    return this.#journal.lastSeq - this.#loaded;
  }

  get healthy(): boolean {
    return this.#failure === undefined;
  }

  /** Caches rows that were just committed, so that they need not be read back. */
  offer(rows: readonly JournalRow[]): void {
    const first = rows[0];
    if (first === undefined) return;
    const expected = (this.#cached.at(-1)?.seq ?? this.#loaded) + 1;
    // The cache must have no gaps; rows after a gap are read from the journal.
    if (first.seq === expected && this.#cachedBytes < CACHE_BYTES) {
      for (const row of rows) {
        this.#cached.push(row);
        this.#cachedBytes += row.payload.length;
      }
    }
    this.#schedule(this.#cached.length >= BATCH_ROWS ? 0 : LINGER_MS);
  }

  /** Resolves when all current journal entries are in the store; rejects when loading fails. */
  async catchUp(): Promise<void> {
    const target = this.#journal.lastSeq;
    while (this.#loaded < target) {
      await this.#start();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#stopped && this.#loaded < target) throw new Error('the event store is closing');
    }
  }

  /** Runs a job while loading is paused. */
  async runExclusive<T>(job: () => Promise<T>): Promise<T> {
    await this.catchUp();
    while (this.#paused !== undefined || this.#run !== undefined) await (this.#paused ?? this.#run);
    const running = job();
    this.#paused = running
      .catch(() => undefined)
      .then(() => {
        this.#paused = undefined;
      });
    return running;
  }

  /** Loads all journal entries, then stops. */
  async close(): Promise<void> {
    await this.catchUp();
    await this.stop();
  }

  /** Stops after the current batch; the rest stays in the journal. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#run;
  }

  #isBehind(): boolean {
    return this.#loaded < this.#journal.lastSeq;
  }

  #schedule(delay: number): void {
    if (this.#run !== undefined || this.#stopped) return;
    if (delay === 0) clearTimeout(this.#timer);
    else if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#start(), delay);
  }

  #start(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#run ??= this.#loadAll().finally(() => {
      this.#run = undefined;
      if (this.#failure !== undefined) this.#schedule(RETRY_MS.max);
      else if (this.#isBehind()) this.#schedule(LINGER_MS);
    });
    return this.#run;
  }

  /** Loads all entries present at the start; gives up after several failed retries. */
  async #loadAll(): Promise<void> {
    const target = this.#journal.lastSeq;
    let delay = RETRY_MS.first;
    while (this.#loaded < target && !this.#stopped) {
      await this.#paused;
      const rows = this.#nextRows();
      try {
        await this.#store.append(await parse(rows));
        this.#failure = undefined;
      } catch (error) {
        this.#failure = error;
        this.#onError(error);
        if (delay > RETRY_MS.max / 2) return;
        await sleep(delay);
        delay *= 2;
        continue;
      }
      this.#finish(rows);
    }
  }

  #nextRows(): JournalRow[] {
    const source =
      this.#cached.length > 0 ? this.#cached : this.#journal.read(this.#loaded, BATCH_ROWS, BATCH_BYTES);
    const rows: JournalRow[] = [];
    let bytes = 0;
    for (const row of source) {
      rows.push(row);
      bytes += row.payload.length;
      if (rows.length >= BATCH_ROWS || bytes >= BATCH_BYTES) break;
    }
    return rows;
  }

  #finish(rows: readonly JournalRow[]): void {
    const last = rows.at(-1)!;
    const bytes = rows.reduce((sum, row) => sum + row.payload.length, 0);
    if (this.#cached[0]?.seq === rows[0]?.seq) {
      this.#cached.splice(0, rows.length);
      this.#cachedBytes -= bytes;
    }
    this.#loaded = last.seq;
    this.#journal.prune(last.seq, bytes);
  }
}

async function parse(rows: readonly JournalRow[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (const row of rows) {
    entries.push({ seq: row.seq, request: JSON.parse(row.payload) as AcceptedRequest });
    if (entries.length % PARSE_ROWS === 0) await nextTurn();
  }
  return entries;
}
