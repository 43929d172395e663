import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { byMethod, type Handlers, RemoteCalls } from '../../platform/calls/remote-calls.ts';
import { withTimeout } from '../../platform/with-timeout.ts';
import type { PrimaryMethods, WorkerMethods } from './worker-methods.ts';

/** Delay before a worker is replaced; doubles while workers do not last. */
const RESTART_MS = { first: 100, max: 5000 };
/** A worker that served for so long was not broken from the start. */
const LASTING_MS = 10_000;

interface Member {
  worker: Worker;
  calls: RemoteCalls<WorkerMethods>;
  servingSince: number | undefined;
}

interface Options {
  size: number;
  log: Logger;
  handlers: (workerId: number) => Omit<Handlers<PrimaryMethods>, 'listening' | 'startFailed'>;
  onExit: (workerId: number) => void;
}

/** The worker processes. One that exits is replaced; all end with this process. */
export class WorkerPool {
  /** Resolves with the URL when all workers serve; rejects if one cannot start. */
  readonly serving: Promise<string>;
  readonly #options: Options;
  readonly #members = new Map<number, Member>();
  #onServing: (url: string) => void = () => {};
  #onStartFailed: (error: Error) => void = () => {};
  #restarts = 0;
  #delay = RESTART_MS.first;
  #hasServed = false;
  #stopping = false;

  constructor(options: Options) {
    this.#options = options;
    this.serving = new Promise((resolve, reject) => {
      this.#onServing = resolve;
      this.#onStartFailed = reject;
    });
    // Handled by whoever waits for it, which may be later.
    this.serving.catch(() => undefined);
    cluster.setupPrimary({ serialization: 'advanced' });
    for (let i = 0; i < options.size; i++) this.#fork();
  }

  /** Workers that serve requests. */
  get size(): number {
    return this.#serving().length;
  }

  /** Workers that were replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Calls all workers that serve, except one; without an answer in time, it continues. */
  async callAll<Name extends keyof WorkerMethods>(
    method: Name,
    timeoutMs: number,
    onResult: (workerId: number, result: Awaited<ReturnType<WorkerMethods[Name]>>) => void = () => {},
    except?: number,
  ): Promise<void> {
    const calls = this.#serving()
      .filter(({ worker }) => worker.id !== except)
      .map(async ({ worker, calls }) => onResult(worker.id, await calls.call(method, [] as never)));
    await withTimeout(Promise.allSettled(calls), timeoutMs, () => undefined);
  }

  /** Resolves when all workers have finished their requests and exited. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const members = [...this.#members.values()];
    const exits = members.map(({ worker }) => once(worker, 'exit'));
    for (const { calls } of members) calls.notify('stop', []);
    await Promise.all(exits);
  }

  #serving(): Member[] {
    return [...this.#members.values()].filter(({ servingSince }) => servingSince !== undefined);
  }

  #fork(): void {
    if (this.#stopping) return;
    const worker = cluster.fork();
    // A message to a worker that has just exited fails; its exit is handled below.
    const send = (message: object) => worker.isConnected() && worker.send(message, () => undefined);
    const answer = byMethod<PrimaryMethods>({
      ...this.#options.handlers(worker.id),
      listening: ([url]) => this.#started(worker.id, url),
      startFailed: ([message]) => this.#startFailed(worker.id, message),
    });
    const calls = new RemoteCalls<WorkerMethods>(send, answer);
    this.#members.set(worker.id, { worker, calls, servingSince: undefined });
    worker.on('message', (message) => calls.receive(message));
    worker.on('error', (err) => this.#options.log.error({ err, worker: worker.id }, 'worker failed'));
    worker.on('exit', (code, signal) => this.#exited(worker.id, signal ?? `code ${code}`));
  }

  #started(workerId: number, url: string): void {
    const member = this.#members.get(workerId);
    if (member === undefined) return;
    member.servingSince = performance.now();
    if (this.size < this.#options.size) return;
    this.#hasServed = true;
    this.#onServing(url);
  }

  /** The first start fails as a whole; later ones are tried again. */
  #startFailed(workerId: number, message: string): void {
    if (this.#hasServed) this.#options.log.error({ worker: workerId }, `worker cannot start: ${message}`);
    else this.#onStartFailed(new Error(message));
  }

  #exited(workerId: number, reason: string): void {
    const { log, onExit } = this.#options;
    const member = this.#members.get(workerId);
    this.#members.delete(workerId);
    member?.calls.fail(new Error('the worker has exited'));
    onExit(workerId);
    if (this.#stopping) return;
    const servedMs = performance.now() - (member?.servingSince ?? performance.now());
    this.#delay = servedMs > LASTING_MS ? RESTART_MS.first : Math.min(2 * this.#delay, RESTART_MS.max);
    this.#restarts += 1;
    log.error({ worker: workerId }, `worker exited with ${reason}; starting another one`);
    setTimeout(() => this.#fork(), this.#delay).unref();
  }
}
