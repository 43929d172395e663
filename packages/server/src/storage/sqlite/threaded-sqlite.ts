import { Worker } from 'node:worker_threads';
import type { Lane, SqliteEngine, SqliteResult } from './sqlite-engine.ts';
import type { SqliteCommand, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** A database on a thread of its own, so that neither its disk nor its locks hold up the thread that serves. */
export class ThreadedSqlite implements SqliteEngine {
  readonly readsBesideWrites = true;
  readonly #worker: Worker;
  readonly #onFailure: (error: Error) => void;
  readonly #exited: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<() => void>();
  #nextId = 1;
  #opened = false;
  #watching = false;
  #closing = false;
  #failure: Error | undefined;

  /** Starts the thread, which loads its code meanwhile; a thread that ends after it was opened cannot be used again. */
  constructor(onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
    this.#worker = new Worker(new URL('./sqlite-thread.js', import.meta.url), {
      name: 'sqlite',
      // Rows are garbage as soon as they are sent: a large nursery would only sit in memory.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.on('message', (reply: SqliteReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        if (!this.#closing) this.#fail(new Error(`the configuration thread ended with ${code}`));
        resolve();
      });
    });
  }

  async open(path: string): Promise<SqliteEngine> {
    await this.#ask({ type: 'open', path });
    this.#opened = true;
    return this;
  }

  execute(lane: Lane, sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    return this.#ask({ type: 'execute', lane, sql, parameters });
  }

  watch(onChange: () => void): () => void {
    if (!this.#watching) {
      this.#watching = true;
      // It fails only when the thread does, which is reported then.
      this.#ask({ type: 'watch' }).catch(() => {});
    }
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#ask({ type: 'close' });
    await this.#exited;
  }

  #ask(command: SqliteCommand): Promise<never> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...command, id } satisfies SqliteRequest);
    });
  }

  #receive(reply: SqliteReply): void {
    if (reply.type === 'changed') {
      for (const listener of this.#listeners) listener();
      return;
    }
    const { id, value, error } = reply;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value as never);
    else waiting?.reject(Object.assign(new Error(error.message), error));
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    if (this.#opened) this.#onFailure(error);
  }
}
