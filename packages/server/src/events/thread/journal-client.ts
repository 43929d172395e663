import { getHeapStatistics } from 'node:v8';
import { StorageError } from '../../platform/errors/storage-error.ts';
import type { RunningSpan, TraceParent, Tracer } from '../../platform/tracing/tracer.ts';
import { lengthOf, type WriteOutcome } from '../intake/journal/journal.ts';
import type { IdempotencyMark } from '../intake/journal/marks/mark.ts';
import type { AcceptedCollect, AcceptedRequest } from '../store/accepted-request.ts';
import type { AnnouncedWrite, CollectedIdentity } from './storage-messages.ts';

/** Max requests and characters per group commit; limits its duration and memory. */
const COMMIT_ROWS = 2000;
const COMMIT_LENGTH = 4 * 1024 * 1024;

/** Max characters waiting for a commit; they exist in memory several times, so small machines get less. */
const MAX_PENDING = Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 16);

export interface JournalClientOptions {
  /** Max size of the journal. */
  maxBytes: number;
  /** Size of the journal, as last reported. */
  journalBytes: () => number;
  /** Makes the writes durable; answered by `committed`. */
  commit: (writes: AnnouncedWrite[], trace?: TraceParent) => void;
  tracer?: Tracer | undefined;
  /** Into how many processes the memory for waiting requests is divided, which tell each other what they store. */
  processes?: number;
}

interface PendingWrite {
  write: AnnouncedWrite;
  trace: TraceParent | undefined;
  resolve: (outcome: WriteOutcome) => void;
  reject: (error: Error) => void;
}

/** Stores requests durably, in group commits on the storage thread. */
export class JournalClient {
  readonly #options: JournalClientOptions;
  #pending: PendingWrite[] = [];
  #pendingBytes = 0;
  #committing: PendingWrite[] | undefined;
  #span: RunningSpan | undefined;
  #scheduled = false;
  #failed = false;

  constructor(options: JournalClientOptions) {
    this.#options = options;
  }

  /**
   * Resolves once the request is on disk, together with the second part of it, if there is one. Rejects immediately when
   * the journal is full.
   */
  accept(
    request: AcceptedRequest,
    idempotency?: IdempotencyMark,
    second?: AcceptedRequest,
  ): Promise<WriteOutcome> {
    const write: AnnouncedWrite = { payload: JSON.stringify(request) };
    if (second !== undefined) write.secondPayload = JSON.stringify(second);
    if (idempotency !== undefined) write.idempotency = idempotency;
    const length = lengthOf(write);
    const { maxBytes, journalBytes, processes = 1 } = this.#options;
    if (this.#failed) return Promise.reject(overloaded('the storage thread has failed'));
    if (length > maxBytes) return Promise.reject(tooLarge(length, maxBytes));
    const pending = this.#pendingBytes + length;
    if (pending > MAX_PENDING / processes || journalBytes() + pending > maxBytes) {
      return Promise.reject(overloaded('the journal is full'));
    }
    this.#pendingBytes = pending;
    if (processes > 1 && request.kind === 'collect') write.collected = identityOf(request);
    return new Promise((resolve, reject) => {
      this.#pending.push({
        write,
        trace: this.#options.tracer?.current(),
        resolve,
        reject,
      });
      this.#schedule();
    });
  }

  /** Call it with the outcomes of the last commit, in order; without them, all were stored. */
  committed(outcomes: readonly WriteOutcome[] | undefined): void {
    const batch = this.#committing!;
    this.#committing = undefined;
    this.#span?.end();
    this.#span = undefined;
    // Before the responses to this one, which take longer than the next commit.
    this.#commit();
    for (let i = 0; i < batch.length; i++) {
      const pending = batch[i]!;
      this.#pendingBytes -= lengthOf(pending.write);
      pending.resolve(outcomes?.[i] ?? 'stored');
    }
  }

  /** Call it if the last commit did not fit into the journal. */
  refused(): void {
    const batch = this.#committing!;
    this.#committing = undefined;
    this.#span?.end(overloaded('the journal is full'));
    this.#span = undefined;
    for (const { write, reject } of batch) {
      this.#pendingBytes -= lengthOf(write);
      reject(overloaded('the journal is full'));
    }
    if (this.#pending.length > 0) this.#schedule();
  }

  /** Resolves when no accepted request waits for a commit. */
  async drain(): Promise<void> {
    while (!this.#failed && (this.#committing !== undefined || this.#pending.length > 0)) {
      await new Promise(setImmediate);
    }
  }

  /** Rejects all waiting and later requests. */
  fail(error: Error): void {
    this.#failed = true;
    this.#span?.end(error);
    for (const pending of [...(this.#committing ?? []), ...this.#pending]) {
      pending.reject(overloaded(error.message));
    }
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
    if (this.#pending.length === 0 || this.#failed) return;
    const batch = this.#nextBatch();
    this.#committing = batch;
    this.#span = this.#startSpan(batch);
    this.#options.commit(
      batch.map(({ write }) => write),
      this.#span?.traceParent,
    );
  }

  #startSpan(batch: readonly PendingWrite[]): RunningSpan | undefined {
    const { tracer } = this.#options;
    if (tracer === undefined) return undefined;
    const causes = batch.flatMap(({ trace }) => trace ?? []);
    if (causes.length === 0) return undefined;
    return tracer.start('journal commit', causes, { 'switchyard.requests': batch.length });
  }

  #nextBatch(): PendingWrite[] {
    const all = this.#pending;
    let count = 0;
    for (let length = 0; count < all.length && count < COMMIT_ROWS && length < COMMIT_LENGTH; count++) {
      length += lengthOf(all[count]!.write);
    }
    if (count < all.length) return all.splice(0, count);
    this.#pending = [];
    return all;
  }
}

function identityOf({ propertyId, sessionId, visitorId, userId }: AcceptedCollect): CollectedIdentity {
  return { propertyId, sessionId, visitorId, ...(userId !== undefined && { userId }) };
}

function overloaded(reason: string): StorageError {
  return new StorageError('STORAGE_OVERLOADED', reason);
}

/** Does not fit into an empty journal either, so a retry would fail too. */
function tooLarge(length: number, maxBytes: number): StorageError {
  return new StorageError(
    'REQUEST_TOO_LARGE',
    `The request takes ${length} bytes in the journal, but JOURNAL_MAX_BYTES is ${maxBytes}.`,
  );
}
