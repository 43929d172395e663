import type { MessagePort, Worker, WorkerOptions } from 'node:worker_threads';
import { RemoteCalls } from '../../platform/calls/remote-calls.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { startThread } from '../../platform/threads/start-thread.ts';
import type { TraceParent } from '../../platform/tracing/tracer.ts';
import type { ReportBody, ReportMethods, ReportRequest } from './report-request.ts';

/** Reports that run on the thread at a time; others wait in a queue on the serving thread. */
const MAX_RUNNING = 4;
const MAX_WAITING = 64;
/** More than a large report needs; a slower one would block all others. */
const TIMEOUT_MS = 60_000;
const MAX_MEMORY_MB = 384;

export interface ReportRunnerOptions {
  /** Opens a connection to the event store, for the thread. */
  connect: () => MessagePort;
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
  signal: AbortSignal | undefined;
  resolve: (body: ReportBody) => void;
  reject: (error: Error) => void;
  timer?: NodeJS.Timeout;
}

interface Thread {
  worker: Worker;
  calls: RemoteCalls<ReportMethods<unknown>>;
}

/**
 * Runs reports on a thread, which the first report starts; `report-thread.ts` knows what can be requested. Number, time
 * and memory are limited: beyond the limits requests fail with 503, and a thread that hangs or dies is replaced.
 */
export class ReportRunner<Request = ReportRequest> {
  readonly #options: ReportRunnerOptions;
  readonly #waiting: Job[] = [];
  #running = 0;
  #thread: Thread | undefined;
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
      const job: Job = { request, trace, signal, resolve, reject };
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
    if (this.#running + this.#waiting.length > 0) return;
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const thread = this.#thread;
    this.#thread = undefined;
    for (const job of this.#waiting.splice(0)) {
      clearTimeout(job.timer);
      job.reject(overloaded('The server is stopping.'));
    }
    thread?.calls.fail(overloaded('The server is stopping.'));
    await thread?.worker.terminate();
  }

  /** A running report keeps its place until the thread has ended it. */
  #cancel(job: Job): void {
    job.reject(overloaded('The request was cancelled.'));
    const position = this.#waiting.indexOf(job);
    if (position < 0) return;
    clearTimeout(job.timer);
    this.#waiting.splice(position, 1);
  }

  #startNext(): void {
    while (this.#running < MAX_RUNNING) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#running += 1;
      void this.#perform(job, this.#getThread());
    }
  }

  async #perform(job: Job, thread: Thread): Promise<void> {
    this.#setTimeout(job, () => this.#replace(thread, 'a report timed out'));
    const { request, signal, trace } = job;
    try {
      const changes = await this.#options.changes();
      job.resolve(await thread.calls.call('run', [request, changes], { signal, trace }));
    } catch (error) {
      job.reject(error as Error);
    }
    clearTimeout(job.timer);
    this.#running -= 1;
    this.#startNext();
  }

  #setTimeout(job: Job, onTimeout: () => void): void {
    clearTimeout(job.timer);
    job.timer = setTimeout(onTimeout, this.#options.timeoutMs ?? TIMEOUT_MS);
  }

  #getThread(): Thread {
    if (this.#thread) return this.#thread;
    const storage = this.#options.connect();
    const { startThread: start = (options) => startThread('report-thread', options) } = this.#options;
    const worker = start({
      name: 'reports',
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.maxMemoryMb ?? MAX_MEMORY_MB,
        maxYoungGenerationSizeMb: 16,
      },
      workerData: { storage },
      transferList: [storage],
    });
    const calls = new RemoteCalls<ReportMethods<unknown>>((message) => worker.postMessage(message));
    const thread = { worker, calls };
    worker.on('message', (message) => calls.receive(message));
    worker.on('error', (error) => this.#replace(thread, error.message));
    worker.on('exit', () => this.#replace(thread, 'it exited'));
    this.#thread = thread;
    return thread;
  }

  /** Fails the running reports; waiting ones run on a new thread. */
  #replace(thread: Thread, reason: string): void {
    if (thread !== this.#thread) return;
    this.#thread = undefined;
    this.#options.log(`Replacing the report thread: ${reason}`);
    void thread.worker.terminate();
    thread.calls.fail(overloaded('The report took too much time or memory.'));
  }
}

function overloaded(reason: string): ApiError {
  return new ApiError('overloaded', {
    message: `${reason} Try again after the time in \`Retry-After\`.`,
    headers: { 'retry-after': '5' },
  });
}
