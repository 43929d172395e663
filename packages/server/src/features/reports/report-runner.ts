import { type MessagePort, Worker } from 'node:worker_threads';
import { ApiError } from '../../errors.ts';
import type { ReportBody, ReportOrder, ReportReply, ReportRequest } from './report-request.ts';

/** Reports that the thread works on at a time; the next ones wait on the serving thread. */
const MAX_RUNNING = 4;
const MAX_WAITING = 64;
/** Longer than a large report takes; a slower one would hold up all others. */
const TIMEOUT_MS = 60_000;
const MAX_MEMORY_MB = 384;

export interface ReportRunnerOptions {
  /** Opens a port to the event store for the thread. */
  connect: () => MessagePort;
  /** Grows whenever an answer of the event store may have changed. */
  changes: () => number;
  log: (message: string) => void;
  script?: URL;
  timeoutMs?: number;
  maxMemoryMb?: number;
}

interface Job {
  request: ReportRequest;
  resolve: (body: ReportBody) => void;
  reject: (error: Error) => void;
  timer?: NodeJS.Timeout;
}

/**
 * Runs reports on a thread that the first report starts. Work is bounded in number, time and memory: beyond that
 * the answer is 503, and a thread that is stuck or has died is replaced.
 */
export class ReportRunner {
  readonly #options: ReportRunnerOptions;
  readonly #waiting: Job[] = [];
  readonly #running = new Map<number, Job>();
  #worker: Worker | undefined;
  #nextId = 1;

  constructor(options: ReportRunnerOptions) {
    this.#options = options;
  }

  run(request: ReportRequest): Promise<ReportBody> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(overloaded('Too many reports are under way.'));
    }
    return new Promise((resolve, reject) => {
      const job: Job = { request, resolve, reject };
      this.#waiting.push(job);
      this.#limit(job, () => {
        this.#waiting.splice(this.#waiting.indexOf(job), 1);
        reject(overloaded('Too many reports are under way.'));
      });
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    for (const job of [...this.#waiting.splice(0), ...this.#takeRunning()]) {
      clearTimeout(job.timer);
      job.reject(overloaded('The server is stopping.'));
    }
    await worker?.terminate();
  }

  #startNext(): void {
    while (this.#running.size < MAX_RUNNING) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#start(job);
    }
  }

  #start(job: Job): void {
    const worker = this.#thread();
    const id = this.#nextId++;
    this.#running.set(id, job);
    this.#limit(job, () => this.#replace(worker, 'a report took too long'));
    const order: ReportOrder = { id, request: job.request, changes: this.#options.changes() };
    worker.postMessage(order);
  }

  #limit(job: Job, onTimeout: () => void): void {
    clearTimeout(job.timer);
    job.timer = setTimeout(onTimeout, this.#options.timeoutMs ?? TIMEOUT_MS);
  }

  #thread(): Worker {
    if (this.#worker) return this.#worker;
    const storage = this.#options.connect();
    const worker = new Worker(this.#options.script ?? new URL('./report-thread.js', import.meta.url), {
      name: 'reports',
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.maxMemoryMb ?? MAX_MEMORY_MB,
        maxYoungGenerationSizeMb: 16,
      },
      workerData: { storage },
      transferList: [storage],
    });
    worker.on('message', (reply: ReportReply) => this.#receive(reply));
    worker.on('error', (error) => this.#replace(worker, error.message));
    worker.on('exit', () => this.#replace(worker, 'it ended'));
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

  /** Fails the reports that the thread was working on; waiting ones go to a new thread. */
  #replace(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#options.log(`The report thread is replaced: ${reason}`);
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
