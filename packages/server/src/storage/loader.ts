import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { AcceptedRequest, JournalEntry } from './accepted-request.ts';
import type { EventStore } from './event-store.ts';
import type { Journal } from './journal.ts';
import type { JournalRow } from './journal-entries.ts';

/** How long events may wait for company before they are loaded. */
const LINGER_MS = 250;
const BATCH_ROWS = 5000;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Rows kept in memory at most; what does not fit is read back from the journal. */
const MEMORY_BYTES = 16 * 1024 * 1024;
/** Rows parsed before commits of the journal get a turn again. */
const PARSE_ROWS = 1000;
const RETRY_MS = { first: 100, most: 5000 };

/** Moves journalled requests into the event store, in order, in large batches, each exactly once. */
export class Loader {
  readonly #journal: Journal;
  readonly #store: EventStore;
  readonly #onError: (error: unknown) => void;
  #loaded: number;
  #memory: JournalRow[] = [];
  #memoryBytes = 0;
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
    if (this.#behind()) this.#schedule(0);
  }

  /** Rows acknowledged but not yet in the store. */
  get lag(): number {
    return this.#journal.lastSeq - this.#loaded;
  }

  get healthy(): boolean {
    return this.#failure === undefined;
  }

  /** Takes rows that were just committed, so that they need not be read back. */
  offer(rows: readonly JournalRow[]): void {
    const first = rows[0];
    if (first === undefined) return;
    const expected = (this.#memory.at(-1)?.seq ?? this.#loaded) + 1;
    // Only an unbroken run may be kept: after a gap the journal is the source.
    if (first.seq === expected && this.#memoryBytes < MEMORY_BYTES) {
      for (const row of rows) {
        this.#memory.push(row);
        this.#memoryBytes += row.payload.length;
      }
    }
    this.#schedule(this.#memory.length >= BATCH_ROWS ? 0 : LINGER_MS);
  }

  /** Resolves when everything journalled by now is in the store; rejects when the store refuses it. */
  async catchUp(): Promise<void> {
    const target = this.#journal.lastSeq;
    while (this.#loaded < target) {
      await this.#start();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#stopped && this.#loaded < target) throw new Error('the event store is closing');
    }
  }

  /** Runs a job while nothing is being loaded. */
  async exclusively<T>(job: () => Promise<T>): Promise<T> {
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

  /** Loads what is journalled, then no more. */
  async close(): Promise<void> {
    await this.catchUp();
    await this.stop();
  }

  /** Ends after the batch under way; the rest stays journalled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#run;
  }

  #behind(): boolean {
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
      if (this.#failure !== undefined) this.#schedule(RETRY_MS.most);
      else if (this.#behind()) this.#schedule(LINGER_MS);
    });
    return this.#run;
  }

  /** Loads until nothing is left that was there at the start; gives up at the first failure. */
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
        if (delay > RETRY_MS.most / 2) return;
        await sleep(delay);
        delay *= 2;
        continue;
      }
      this.#finish(rows);
    }
  }

  #nextRows(): JournalRow[] {
    const source =
      this.#memory.length > 0 ? this.#memory : this.#journal.read(this.#loaded, BATCH_ROWS, BATCH_BYTES);
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
    if (this.#memory[0]?.seq === rows[0]?.seq) {
      this.#memory.splice(0, rows.length);
      this.#memoryBytes -= bytes;
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
