import type { DuckDBConnection } from '@duckdb/node-api';

/** Hands out connections, first come first served; taking all of them keeps everybody else out. */
export class ConnectionPool {
  readonly #size: number;
  readonly #idle: DuckDBConnection[] = [];
  readonly #waiting: { resolve: (connection: DuckDBConnection) => void; reject: (error: unknown) => void }[] =
    [];
  #broken: { error: unknown } | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  async fill(connect: () => Promise<DuckDBConnection>): Promise<void> {
    for (let i = 0; i < this.#size; i++) this.#release(await connect());
  }

  get isIdle(): boolean {
    return this.#idle.length === this.#size;
  }

  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  /** Waits for the eventStore under way, then closes; later ones wait until the pool is filled again. */
  async drain(): Promise<void> {
    const all = await Promise.all(Array.from({ length: this.#size }, () => this.#acquire()));
    for (const connection of all) connection.closeSync();
  }

  /** The pool will not be filled again. */
  fail(error: unknown): void {
    this.#broken = { error };
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #acquire(): Promise<DuckDBConnection> {
    if (this.#broken) return Promise.reject(this.#broken.error);
    const connection = this.#idle.pop();
    if (connection) return Promise.resolve(connection);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  #release(connection: DuckDBConnection): void {
    const next = this.#waiting.shift();
    if (next) next.resolve(connection);
    else this.#idle.push(connection);
  }
}
