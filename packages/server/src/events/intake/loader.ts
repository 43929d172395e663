import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../platform/errors/storage-error.ts';
import { TimeSlice } from '../../platform/threads/time-slice.ts';
import { withTimeout } from '../../platform/with-timeout.ts';
import type { AcceptedRequest, JournalEntry } from '../store/accepted-request.ts';
import type { EventStore } from '../store/event-store.ts';
import { BatchAttempts } from './batch-attempts.ts';
import type { Journal } from './journal/journal.ts';
import type { JournalRow } from './journal/journal-entries.ts';
import type { LoadTracing } from './load-tracing.ts';
import { LoadableRows } from './loadable-rows.ts';

/** How long to wait for more events before loading a batch. */
const LINGER_MS = 250;
const RETRY_MS = { first: 100, max: 5000 };
/** How long a stop waits for the current batch of a remote store. */
const LAST_BATCH_MS = 3000;
/** How long a query waits for a remote store to get what was acknowledged. */
const CATCH_UP_MS = 2000;

export interface LoaderOptions {
  journal: Journal;
  store: EventStore;
  /**
   * The store is reached over a network. It may be unavailable for long, also at the start; queries do not wait for it then,
   * and show what it has while it gets the rest.
   */
  isRemote?: boolean;
  /** `isRepeated`: the attempt before failed too. */
  onError: (error: unknown, isRepeated: boolean) => void;
  tracing: LoadTracing;
}

/** Moves journal entries into the event store in order, in large batches, each exactly once. */
export class Loader {
  readonly #journal: Journal;
  readonly #store: EventStore;
  readonly #isRemote: boolean;
  readonly #onError: LoaderOptions['onError'];
  readonly #tracing: LoadTracing;
  readonly #rows: LoadableRows;
  readonly #attempts: BatchAttempts;
  /** Whether the journal was compared with the store. */
  #confirmed: boolean;
  #timer: NodeJS.Timeout | undefined;
  #run: Promise<void> | undefined;
  #failure: unknown;
  #lateSince: number | undefined;
  #paused: Promise<unknown> | undefined;
  readonly #stopping = new AbortController();

  constructor({ journal, store, isRemote = false, onError, tracing }: LoaderOptions) {
    this.#journal = journal;
    this.#store = store;
    this.#isRemote = isRemote;
    this.#onError = onError;
    this.#tracing = tracing;
    this.#confirmed = !isRemote;
    this.#rows = new LoadableRows(journal, store.repeatsBatches);
    this.#attempts = new BatchAttempts(journal.planned);
    if (this.#isBehind() || !this.#confirmed) this.#schedule(0);
  }

  /** Number of acknowledged rows that are not in the store yet. */
  get lag(): number {
    return this.#journal.lastSeq - this.#rows.loaded;
  }

  get healthy(): boolean {
    return this.#failure === undefined;
  }

  /** When the oldest request was received that is missing in the store because loading failed or takes long. */
  get lateSince(): number | undefined {
    return this.#lateSince;
  }

  /**
   * Call it with the position of this journal that the store has. Throws if others store events under its name: once
   * compared, the journal has given every position that the store can have.
   */
  assertUnique(position: number): void {
    if (this.#confirmed && position > this.#journal.lastSeq) throw copied(this.#journal.source);
  }

  /** Caches rows that were just committed, so that they need not be read back. */
  offer(rows: readonly JournalRow[]): void {
    if (rows.length === 0) return;
    this.#rows.offer(rows);
    this.#schedule(this.#rows.isBatchFull ? 0 : LINGER_MS);
  }

  /** Call it before a query. Like `loadAll`, but does not wait long for a remote store, see `isRemote`. */
  catchUp(): Promise<void> {
    return this.#isRemote ? this.#catchUpSoon() : this.loadAll();
  }

  /** Resolves when all current journal entries are in the store; rejects when loading fails. */
  async loadAll(): Promise<void> {
    const target = this.#journal.lastSeq;
    while (this.#rows.loaded < target) {
      await this.#start();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isStopped && this.#rows.loaded < target) throw new Error('the event store is closing');
    }
  }

  async #catchUpSoon(): Promise<void> {
    const target = this.#journal.lastSeq;
    const deadline = performance.now() + CATCH_UP_MS;
    while (this.#rows.loaded < target) {
      if (this.#isStopped) throw unavailable('the event store is closing');
      if (this.#failure !== undefined) await this.#assertAnswers(this.#failure);
      const left = deadline - performance.now();
      if (left <= 0) this.#lateSince ??= this.#oldestWaiting();
      // After an outage, or if the store is slow, there may be a lot to load: late figures are better than none.
      if (left <= 0 || this.#lateSince !== undefined) return;
      await withTimeout(this.#start(), left, () => undefined);
    }
  }

  /** A store that cannot take a batch now may still answer queries. */
  async #assertAnswers(failure: unknown): Promise<void> {
    await this.#store.ping().catch(() => {
      throw unavailable(failure);
    });
  }

  /** Runs a job when everything is loaded; loading is paused meanwhile, unless other nodes load all the same. */
  async runExclusive<T>(job: () => Promise<T>): Promise<T> {
    await this.loadAll();
    // A remote store may take minutes to delete, and queries wait for what is to be loaded.
    if (this.#isRemote) return job();
    while (this.#paused !== undefined || this.#run !== undefined) await (this.#paused ?? this.#run);
    const running = job();
    this.#paused = running
      .catch(() => undefined)
      .then(() => {
        this.#paused = undefined;
      });
    return running;
  }

  /** Loads all journal entries, unless a remote store is late, then stops. */
  async close(): Promise<void> {
    try {
      await this.catchUp();
    } finally {
      await this.stop();
    }
  }

  /** Stops after the current batch; the rest stays in the journal. Closes a remote store that does not respond. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    // Without its connections the batch fails now. The next start repeats it.
    if (this.#isRemote && !(await this.#endsSoon())) await this.#store.close();
    await this.#run;
  }

  #endsSoon(): Promise<boolean> {
    const ended = Promise.resolve(this.#run).then(() => true);
    return withTimeout(ended, LAST_BATCH_MS, () => false);
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #isBehind(): boolean {
    return this.#rows.loaded < this.#journal.lastSeq;
  }

  #schedule(delay: number): void {
    if (this.#run !== undefined || this.#isStopped) return;
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
    while ((this.#rows.loaded < target || !this.#confirmed) && !this.#isStopped) {
      await this.#paused;
      try {
        await this.#loadNext();
        this.#failure = undefined;
      } catch (error) {
        this.#fail(error);
        if (delay > RETRY_MS.max / 2) return;
        await sleep(delay, undefined, this.#stopping).catch(() => undefined);
        delay *= 2;
      }
    }
    this.#lateSince = undefined;
  }

  async #loadNext(): Promise<void> {
    const { source } = this.#journal;
    if (!this.#confirmed) {
      this.#journal.confirm(await this.#store.watermark(source));
      this.#rows.skipTo(this.#journal.handedOver);
      this.#confirmed = true;
    }
    const rows = this.#rows.next();
    if (rows.length === 0) return;
    const entries = await parse(rows);
    const last = rows.at(-1)!.seq;
    const load = () => this.#store.append(source, entries, this.#attempts.isOld(last));
    await this.#tracing.measure(last, rows.length, load).catch((error: unknown) => {
      this.#attempts.failed(last);
      throw error;
    });
    await this.#rows.finish(rows);
    if (this.#lateSince !== undefined) this.#lateSince = this.#oldestWaiting();
  }

  #fail(error: unknown): void {
    const isRepeated = this.#failure !== undefined;
    this.#failure = error;
    if (this.#isRemote) this.#lateSince ??= this.#oldestWaiting();
    this.#onError(error, isRepeated);
  }

  #oldestWaiting(): number | undefined {
    const oldest = this.#rows.oldest();
    return oldest && (JSON.parse(oldest.payload) as AcceptedRequest).receivedAt;
  }
}

function unavailable(cause: unknown): StorageError {
  return new StorageError('STORE_UNAVAILABLE', cause instanceof Error ? cause.message : String(cause));
}

const copied = (source: string) =>
  Object.assign(
    new Error(
      `Another running node uses a copy of node.db, and stores events under the id of this one (${source}). ` +
        'Stop one of them and start it with an empty DATA_DIR: events are lost while both run.',
    ),
    { code: 'NODE_COPIED' },
  );

async function parse(rows: readonly JournalRow[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  const slice = new TimeSlice();
  for (const row of rows) {
    entries.push({ seq: row.seq, request: JSON.parse(row.payload) as AcceptedRequest });
    if (slice.isOver) await slice.next();
  }
  return entries;
}
