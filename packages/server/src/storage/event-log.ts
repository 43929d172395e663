import { getHeapStatistics } from 'node:v8';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { AcceptedRequest } from './accepted-request.ts';
import { type EventStoreClient, eventStoreClient, StoreCalls } from './event-store-client.ts';
import type { IdempotencyMark } from './idempotency-marks.ts';
import type { JournalWrite, WriteOutcome } from './journal.ts';
import { type JournalLimits, journalLimits } from './journal-limits.ts';
import { StorageError } from './storage-error.ts';
import type {
  StorageOptions,
  StorageReply,
  StorageRequest,
  StorageStatus,
  StoreMethod,
  ThreadOptions,
} from './storage-messages.ts';

/** Requests and characters per group commit at most, so that one never takes long, nor much memory on its way. */
const COMMIT_ROWS = 2000;
const COMMIT_LENGTH = 4 * 1024 * 1024;

/** What waits is in memory several times over, and on a small machine there is little of it. */
const MAX_WAITING = Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 16);

export interface EventLogOptions extends StorageOptions {
  /** Bytes of the journal, at most; `JournalLimits` says how they are divided. */
  maxBytes: number;
  log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Called once, when nothing can be made durable any more. */
  onFailure: (error: Error) => void;
}

/** What became of a request that was not refused. */
export type AcceptOutcome = Exclude<WriteOutcome, 'full'>;

interface Waiting {
  write: JournalWrite;
  resolve: (outcome: AcceptOutcome) => void;
  reject: (error: Error) => void;
}

/** The serving thread's end of the storage thread: accepts requests durably, and puts eventStore to the event store. */
export class EventLog {
  readonly eventStore: EventStoreClient;
  /** Resolves when the thread has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #options: EventLogOptions;
  readonly #limits: JournalLimits;
  #status: StorageStatus = { journalBytes: 0, idempotencyBytes: 0, lag: 0, position: 0, healthy: true };
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #committing: Waiting[] | undefined;
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
      // What a batch leaves behind is garbage at once: a large nursery would only sit in memory.
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
        if (this.#onClosed === undefined) this.#fail(new Error(`the storage thread ended with ${code}`));
        resolve();
      });
    });
    this.eventStore = eventStoreClient((method, args) => this.#ask(method, args));
  }

  get status(): StorageStatus {
    return this.#status;
  }

  /** Grows with everything that may change an answer of the event store. */
  get changes(): number {
    return this.#changes;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves once the request is on disk. Refuses at once when there is no room for it. */
  accept(request: AcceptedRequest, idempotency?: IdempotencyMark): Promise<AcceptOutcome> {
    const payload = JSON.stringify(request);
    if (this.#failure !== undefined) return Promise.reject(overloaded('nothing can be stored any more'));
    if (payload.length > this.#limits.requests) return Promise.reject(tooLarge(payload, this.#limits));
    const waiting = this.#waitingBytes + payload.length;
    if (waiting > MAX_WAITING || this.#status.journalBytes + waiting > this.#limits.requests) {
      return Promise.reject(overloaded('the journal is full'));
    }
    this.#waitingBytes = waiting;
    return new Promise((resolve, reject) => {
      this.#waiting.push({
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

  /** Looks for damage in the background from now on; not before a start has succeeded, which it would slow down. */
  startVerification(): void {
    this.#post({ type: 'verify' });
  }

  /** Stores what was accepted, and ends the thread. */
  async close(): Promise<void> {
    if (this.#failure !== undefined) return;
    while (this.#committing !== undefined || this.#waiting.length > 0) await new Promise(setImmediate);
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      this.#post({ type: 'close' });
    });
  }

  /** One commit at a time: whatever arrives while it runs goes into the next. */
  #schedule(): void {
    if (this.#scheduled || this.#committing !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit();
    });
  }

  #commit(): void {
    if (this.#waiting.length === 0 || this.#failure !== undefined) return;
    const batch = this.#nextBatch();
    this.#committing = batch;
    this.#post({ type: 'commit', writes: batch.map((waiting) => waiting.write) });
  }

  #nextBatch(): Waiting[] {
    const all = this.#waiting;
    let count = 0;
    for (let length = 0; count < all.length && count < COMMIT_ROWS && length < COMMIT_LENGTH; count++) {
      length += all[count]!.write.payload.length;
    }
    if (count < all.length) return all.splice(0, count);
    this.#waiting = [];
    return all;
  }

  #committed(outcomes: WriteOutcome[] | undefined, status: StorageStatus): void {
    const batch = this.#committing!;
    this.#committing = undefined;
    this.#status = status;
    // Not before: an answer taken while the commit ran may lack it.
    this.#changes += batch.length;
    for (let i = 0; i < batch.length; i++) {
      const waiting = batch[i]!;
      this.#waitingBytes -= waiting.write.payload.length;
      const outcome = outcomes?.[i] ?? 'stored';
      if (outcome === 'full') waiting.reject(noRoomForKey());
      else waiting.resolve(outcome);
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  #receive(reply: StorageReply): void {
    switch (reply.type) {
      case 'committed':
        this.#committed(reply.outcomes, reply.status);
        break;
      case 'answer':
        this.#calls.answered(reply);
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
    for (const waiting of [...(this.#committing ?? []), ...this.#waiting]) {
      waiting.reject(overloaded(error.message));
    }
    this.#calls.fail(error);
    this.#onClosed?.();
    if (this.#opening === undefined) this.#options.onFailure(error);
    else this.#opening.reject(error);
  }

  #post(request: StorageRequest): void {
    this.#worker.postMessage(request);
  }

  #ask(method: StoreMethod, args: unknown[]): Promise<never> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const answer = this.#calls.call(method, args);
    if (method !== 'forget' && method !== 'expire') return answer;
    return answer.finally(() => {
      this.#changes++;
    });
  }
}

function overloaded(reason: string): StorageError {
  return new StorageError('STORAGE_OVERLOADED', reason);
}

function noRoomForKey(): StorageError {
  return new StorageError('IDEMPOTENCY_FULL', 'there is no room for another idempotency key');
}

/** It would not fit into an empty journal either, so to try again would be no use. */
function tooLarge(payload: string, { requests }: JournalLimits): StorageError {
  return new StorageError(
    'REQUEST_TOO_LARGE',
    `The request takes ${payload.length} bytes of the journal, which has room for ${requests} (half of JOURNAL_MAX_BYTES).`,
  );
}
