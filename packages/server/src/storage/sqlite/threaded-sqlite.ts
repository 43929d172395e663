import type { Worker } from 'node:worker_threads';
import { lastingThread } from '../../start-thread.ts';
import type { Lane, SqliteEngine, SqliteResult } from './sqlite-engine.ts';
import type { SqliteCommand, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

interface PendingRequest {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** A database on its own thread, so that its disk and locks never block the thread that serves requests. */
export class ThreadedSqlite implements SqliteEngine {
  readonly supportsConcurrentReads = true;
  readonly #worker: Worker;
  readonly #onFailure: (error: Error) => void;
  readonly #exited: Promise<void>;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #listeners = new Set<() => void>();
  #nextId = 1;
  #opened = false;
  #watching = false;
  #closing = false;
  #failure: Error | undefined;

  /** Starts the thread before `open`, so that it can load its code. `onFailure` is called if it exits after `open`. */
  constructor(onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
    this.#worker = lastingThread('sqlite-thread');
    this.#worker.on('message', (reply: SqliteReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        if (!this.#closing)
          this.#fail(new Error(`the configuration database thread exited with code ${code}`));
        resolve();
      });
    });
  }

  async open(path: string, { acceptLoss = false } = {}): Promise<SqliteEngine> {
    await this.#request({ type: 'open', path, acceptLoss });
    this.#opened = true;
    return this;
  }

  execute(lane: Lane, sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    return this.#request({ type: 'execute', lane, sql, parameters });
  }

  watch(onChange: () => void): () => void {
    if (!this.#watching) {
      this.#watching = true;
      // Fails only when the thread fails, which is reported separately.
      this.#request({ type: 'watch' }).catch(() => {});
    }
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#request({ type: 'close' });
    await this.#exited;
  }

  #request(command: SqliteCommand): Promise<never> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ ...command, id } satisfies SqliteRequest);
    });
  }

  #receive(reply: SqliteReply): void {
    if (reply.type === 'changed') {
      for (const listener of this.#listeners) listener();
      return;
    }
    const { id, value, error } = reply;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(value as never);
    else pending?.reject(Object.assign(new Error(error.message), error));
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    if (this.#opened) this.#onFailure(error);
  }
}
