import type { Worker, WorkerOptions } from 'node:worker_threads';
import { ApiError } from '../../errors.ts';
import { startThread } from '../../start-thread.ts';
import { movedParts, type ThreadConnection } from '../../storage/storage-channel.ts';
import type { TraceParent } from '../../storage/tracer.ts';
import type { ReportBody, ReportMessage, ReportReply, ReportRequest } from './report-request.ts';

/** Reports that run on the thread at a time; others wait in a queue on the serving thread. */
const MAX_RUNNING = 4;
const MAX_WAITING = 64;
/** More than a large report needs; a slower one would block all others. */
const TIMEOUT_MS = 60_000;
const MAX_MEMORY_MB = 384;

export interface ReportRunnerOptions {
  /** Opens a connection to the event store, for the thread. */
  connect: () => ThreadConnection;
  /** Change counter: increases whenever query results may have changed. */
  changes: () => number | Promise<number>;
  log: (message: string) => void;
  /** The span of the request that is being handled. */
  currentTrace?: (() => TraceParent | undefined) | undefined;
  startThread?: (options: WorkerOptions) => Worker;
  timeoutMs?: number;
  maxMemoryMb?: number;
}

interface Job {
  request: unknown;
  trace: TraceParent | undefined;
  resolve: (body: ReportBody) => void;
  reject: (error: Error) => void;
  timer?: NodeJS.Timeout;
}

/**
 * Runs reports on a thread, which the first report starts; `report-thread.ts` knows what can be requested. Number, time
 * and memory are limited: beyond the limits requests fail with 503, and a thread that hangs or dies is replaced.
 */
export class ReportRunner<Request = ReportRequest> {
  readonly #options: ReportRunnerOptions;
  readonly #waiting: Job[] = [];
  readonly #running = new Map<number, Job>();
  #worker: Worker | undefined;
  #nextId = 1;
  #closed = false;

  constructor(options: ReportRunnerOptions) {
    this.#options = options;
  }

  /** The signal tells that nobody waits for the report anymore. */
  run(request: Request, signal?: AbortSignal): Promise<ReportBody> {
    if (this.#closed) return Promise.reject(overloaded('The server is stopping.'));
    if (signal?.aborted) return Promise.reject(overloaded('The request was cancelled.'));
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(overloaded('Too many reports are running.'));
    }
    return new Promise((resolve, reject) => {
      const trace = this.#options.currentTrace?.();
      const job: Job = { request, trace, resolve, reject };
      this.#waiting.push(job);
      this.#setTimeout(job, () => {
        this.#waiting.splice(this.#waiting.indexOf(job), 1);
        reject(overloaded('Too many reports are running.'));
      });
      signal?.addEventListener('abort', () => this.#cancel(job), { once: true });
      this.#startNext();
    });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Ends the thread if it is idle, to free its memory; the next report starts another one. */
  async release(): Promise<void> {
    if (this.#running.size + this.#waiting.length > 0) return;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    for (const job of [...this.#waiting.splice(0), ...this.#takeRunning()]) {
      clearTimeout(job.timer);
      job.reject(overloaded('The server is stopping.'));
    }
    await worker?.terminate();
  }

  /** A running report keeps its place until the thread has ended it. */
  #cancel(job: Job): void {
    job.reject(overloaded('The request was cancelled.'));
    const position = this.#waiting.indexOf(job);
    if (position >= 0) {
      clearTimeout(job.timer);
      this.#waiting.splice(position, 1);
    }
    for (const [id, running] of this.#running) {
      if (running === job) this.#worker?.postMessage({ cancel: id } satisfies ReportMessage);
    }
  }

  #startNext(): void {
    while (this.#running.size < MAX_RUNNING) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#start(job);
    }
  }

  #start(job: Job): void {
    const worker = this.#getWorker();
    const id = this.#nextId++;
    this.#running.set(id, job);
    this.#setTimeout(job, () => this.#replace(worker, 'a report timed out'));
    const { request, trace } = job;
    const send = (changes: number) => {
      const message: ReportMessage<unknown> = { id, request, changes, ...(trace !== undefined && { trace }) };
      worker.postMessage(message);
    };
    const changes = this.#options.changes();
    if (typeof changes === 'number') send(changes);
    // It fails only with the storage thread, which ends the process.
    else changes.then(send, (error) => this.#receive({ id, error }));
  }

  #setTimeout(job: Job, onTimeout: () => void): void {
    clearTimeout(job.timer);
    job.timer = setTimeout(onTimeout, this.#options.timeoutMs ?? TIMEOUT_MS);
  }

  #getWorker(): Worker {
    if (this.#worker) return this.#worker;
    const storage = this.#options.connect();
    const { startThread: start = (options) => startThread('report-thread', options) } = this.#options;
    const worker = start({
      name: 'reports',
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.maxMemoryMb ?? MAX_MEMORY_MB,
        maxYoungGenerationSizeMb: 16,
      },
      workerData: { storage },
      transferList: movedParts(storage),
    });
    worker.on('message', (reply: ReportReply) => this.#receive(reply));
    worker.on('error', (error) => this.#replace(worker, error.message));
    worker.on('exit', () => this.#replace(worker, 'it exited'));
    this.#worker = worker;
    return worker;
  }

  #receive(reply: ReportReply): void {
    const job = this.#running.get(reply.id);
    if (job === undefined) return;
    this.#running.delete(reply.id);
    clearTimeout(job.timer);
    if ('error' in reply) job.reject(Object.assign(new Error(reply.error.message), reply.error));
    else job.resolve(reply);
    this.#startNext();
  }

  /** Fails the running reports; waiting ones run on a new thread. */
  #replace(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#options.log(`Replacing the report thread: ${reason}`);
    void worker.terminate();
    for (const job of this.#takeRunning()) {
      clearTimeout(job.timer);
      job.reject(overloaded('The report took too much time or memory.'));
    }
    this.#startNext();
  }

  #takeRunning(): Job[] {
    const jobs = [...this.#running.values()];
    this.#running.clear();
    return jobs;
  }
}

function overloaded(reason: string): ApiError {
  return new ApiError('overloaded', {
    message: `${reason} Try again after the time in \`Retry-After\`.`,
    headers: { 'retry-after': '5' },
  });
}
