import { getHeapStatistics } from 'node:v8';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { AcceptedRequest } from './accepted-request.ts';
import type { HeldFiles } from './event-store.ts';
import { type EventStoreClient, eventStoreClient, StoreCalls } from './event-store-client.ts';
import type { IdempotencyMark } from './journal/idempotency-marks.ts';
import type { JournalWrite, WriteOutcome } from './journal/journal.ts';
import { type JournalLimits, journalLimits } from './journal/journal-limits.ts';
import { StorageError } from './storage-error.ts';
import type {
  HoldMethod,
  StorageOptions,
  StorageReply,
  StorageRequest,
  StorageStatus,
  StoreMethod,
  ThreadOptions,
} from './storage-messages.ts';

/** Max requests and characters per group commit; limits its duration and memory. */
const COMMIT_ROWS = 2000;
const COMMIT_LENGTH = 4 * 1024 * 1024;

/** Max characters waiting for a commit; they exist in memory several times, so small machines get less. */
const MAX_PENDING = Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 16);

export interface EventLogOptions extends StorageOptions {
  /** Max size of the journal; see `JournalLimits` for how it is divided. */
  maxBytes: number;
  log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Called once, when events can no longer be stored. */
  onFailure: (error: Error) => void;
}

/** Outcome of a request that was not rejected. */
export type AcceptOutcome = Exclude<WriteOutcome, 'full'>;

interface PendingWrite {
  write: JournalWrite;
  resolve: (outcome: AcceptOutcome) => void;
  reject: (error: Error) => void;
}

/** Main-thread side of the storage thread: stores requests durably and forwards queries to the event store. */
export class EventLog {
  readonly eventStore: EventStoreClient;
  /** Resolves when the thread has exited, for any reason. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #options: EventLogOptions;
  readonly #limits: JournalLimits;
  #status: StorageStatus = { journalBytes: 0, idempotencyBytes: 0, lag: 0, position: 0, healthy: true };
  #pending: PendingWrite[] = [];
  #pendingBytes = 0;
  #committing: PendingWrite[] | undefined;
  #scheduled = false;
  readonly #calls = new StoreCalls((request) => this.#post(request));
  #changes = 0;
  #failure: Error | undefined;
  #opening: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #onClosed: (() => void) | undefined;

  static async open(options: EventLogOptions): Promise<EventLog> {
    const log = new EventLog(options);
    await new Promise<void>((resolve, reject) => {
      log.#opening = { resolve, reject };
    });
    log.#opening = undefined;
    return log;
  }

  private constructor(options: EventLogOptions) {
    this.#options = options;
    this.#limits = journalLimits(options.maxBytes);
    this.#worker = new Worker(new URL('./storage-thread.js', import.meta.url), {
      name: 'storage',
      // Batches are short-lived garbage: a larger young generation would only waste memory.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
      workerData: {
        dataDir: options.dataDir,
        acceptLoss: options.acceptLoss ?? false,
        limits: this.#limits,
      } satisfies ThreadOptions,
    });
    this.#worker.on('message', (reply: StorageReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        if (this.#onClosed === undefined)
          this.#fail(new Error(`the storage thread exited with code ${code}`));
        resolve();
      });
    });
    this.eventStore = eventStoreClient((method, args) => this.#call(method, args));
  }

  get status(): StorageStatus {
    return this.#status;
  }

  /** Incremented by everything that may change query results. */
  get changes(): number {
    return this.#changes;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves once the request is on disk. Rejects immediately when the journal is full. */
  accept(request: AcceptedRequest, idempotency?: IdempotencyMark): Promise<AcceptOutcome> {
    const payload = JSON.stringify(request);
    if (this.#failure !== undefined) return Promise.reject(overloaded('the storage thread has failed'));
    if (payload.length > this.#limits.requests) return Promise.reject(tooLarge(payload, this.#limits));
    const pending = this.#pendingBytes + payload.length;
    if (pending > MAX_PENDING || this.#status.journalBytes + pending > this.#limits.requests) {
      return Promise.reject(overloaded('the journal is full'));
    }
    this.#pendingBytes = pending;
    return new Promise((resolve, reject) => {
      this.#pending.push({
        write: idempotency === undefined ? { payload } : { payload, idempotency },
        resolve,
        reject,
      });
      this.#schedule();
    });
  }

  /** Opens a port on which another thread can send report queries; they are cancelled when that thread ends. */
  openPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ type: 'connect', port: port1 } satisfies StorageRequest, [port1]);
    return port2;
  }

  /** Starts checking for damage in the background; call it after startup, which it would slow down. */
  startVerification(): void {
    this.#post({ type: 'verify' });
  }

  /** Keeps the files copyable in their present state, for a backup; see `FileHold`. */
  holdFiles(): Promise<HeldFiles> {
    return this.#call('holdFiles', []);
  }

  /** Call it when journal.db is copied. */
  releaseJournal(): Promise<void> {
    return this.#call('releaseJournal', []);
  }

  releaseFiles(): Promise<void> {
    return this.#call('releaseFiles', []);
  }

  /** Stores all accepted requests and stops the thread. */
  async close(): Promise<void> {
    if (this.#failure !== undefined) return;
    while (this.#committing !== undefined || this.#pending.length > 0) await new Promise(setImmediate);
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      this.#post({ type: 'close' });
    });
  }

  /** One commit at a time: requests that arrive meanwhile go into the next one. */
  #schedule(): void {
    if (this.#scheduled || this.#committing !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit();
    });
  }

  #commit(): void {
    if (this.#pending.length === 0 || this.#failure !== undefined) return;
    const batch = this.#nextBatch();
    this.#committing = batch;
    this.#post({ type: 'commit', writes: batch.map(({ write }) => write) });
  }

  #nextBatch(): PendingWrite[] {
    const all = this.#pending;
    let count = 0;
    for (let length = 0; count < all.length && count < COMMIT_ROWS && length < COMMIT_LENGTH; count++) {
      length += all[count]!.write.payload.length;
    }
    if (count < all.length) return all.splice(0, count);
    this.#pending = [];
    return all;
  }

  #committed(outcomes: WriteOutcome[] | undefined, status: StorageStatus): void {
    const batch = this.#committing!;
    this.#committing = undefined;
    this.#status = status;
    // Not earlier: a query that ran during the commit may have missed these events.
    this.#changes += batch.length;
    for (let i = 0; i < batch.length; i++) {
      const pending = batch[i]!;
      this.#pendingBytes -= pending.write.payload.length;
      const outcome = outcomes?.[i] ?? 'stored';
      if (outcome === 'full') pending.reject(idempotencyFull());
      else pending.resolve(outcome);
    }
    if (this.#pending.length > 0) this.#schedule();
  }

  #receive(reply: StorageReply): void {
    switch (reply.type) {
      case 'committed':
        this.#committed(reply.outcomes, reply.status);
        break;
      case 'result':
        this.#calls.settle(reply);
        break;
      case 'status':
        this.#status = reply.status;
        break;
      case 'log':
        this.#options.log(reply.level, reply.message);
        break;
      case 'ready':
        this.#status = reply.status;
        this.#opening?.resolve();
        break;
      case 'closed':
        this.#onClosed?.();
        break;
      case 'failed':
        this.#fail(Object.assign(new Error(reply.message), { code: reply.code }));
        break;
    }
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const pending of [...(this.#committing ?? []), ...this.#pending]) {
      pending.reject(overloaded(error.message));
    }
    this.#calls.fail(error);
    this.#onClosed?.();
    if (this.#opening === undefined) this.#options.onFailure(error);
    else this.#opening.reject(error);
  }

  #post(request: StorageRequest): void {
    this.#worker.postMessage(request);
  }

  #call(method: StoreMethod | HoldMethod, args: unknown[]): Promise<never> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const result = this.#calls.call(method, args);
    if (method !== 'forget' && method !== 'expire') return result;
    return result.finally(() => {
      this.#changes++;
    });
  }
}

function overloaded(reason: string): StorageError {
  return new StorageError('STORAGE_OVERLOADED', reason);
}

function idempotencyFull(): StorageError {
  return new StorageError('IDEMPOTENCY_FULL', 'the storage for idempotency keys is full');
}

/** Does not fit into an empty journal either, so a retry would fail too. */
function tooLarge(payload: string, { requests }: JournalLimits): StorageError {
  return new StorageError(
    'REQUEST_TOO_LARGE',
    `The request takes ${payload.length} bytes in the journal, but the limit is ${requests} (half of JOURNAL_MAX_BYTES).`,
  );
}
