import { byMethod, RemoteCalls } from '../../../platform/calls/remote-calls.ts';
import { lastingThread } from '../../../platform/threads/start-thread.ts';
import type { Lane, SqliteEngine, SqliteResult } from './sqlite-engine.ts';
import type { SqliteListener, SqliteMethods } from './sqlite-methods.ts';

/** A database on its own thread, so that its disk and locks never block the thread that serves requests. */
export class ThreadedSqlite implements SqliteEngine {
  readonly supportsConcurrentReads = true;
  readonly #onFailure: (error: Error) => void;
  readonly #exited: Promise<void>;
  readonly #calls: RemoteCalls<SqliteMethods>;
  readonly #listeners = new Set<() => void>();
  #opened = false;
  #watching = false;
  #closing = false;
  #failed = false;

  /** Starts the thread before `open`, so that it can load its code. `onFailure` is called if it exits after `open`. */
  constructor(onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
    const worker = lastingThread('sqlite-thread');
    const answer = byMethod<SqliteListener>({
      changed: () => {
        for (const listener of this.#listeners) listener();
      },
    });
    this.#calls = new RemoteCalls((message) => worker.postMessage(message), answer);
    worker.on('message', (message) => this.#calls.receive(message));
    worker.on('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      worker.on('exit', (code) => {
        if (!this.#closing)
          this.#fail(new Error(`the configuration database thread exited with code ${code}`));
        resolve();
      });
    });
  }

  async open(path: string, { acceptLoss = false } = {}): Promise<SqliteEngine> {
    await this.#calls.call('open', [path, { acceptLoss }]);
    this.#opened = true;
    return this;
  }

  execute(lane: Lane, sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    return this.#calls.call('execute', [lane, sql, parameters]);
  }

  watch(onChange: () => void): () => void {
    if (!this.#watching) {
      this.#watching = true;
      // Fails only when the thread fails, which is reported separately.
      this.#calls.call('watch', []).catch(() => {});
    }
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#calls.call('close', []);
    await this.#exited;
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#calls.fail(error);
    if (this.#opened) this.#onFailure(error);
  }
}
