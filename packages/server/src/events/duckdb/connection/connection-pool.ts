import type { DuckDBConnection } from '@duckdb/node-api';

/** A pool of connections with a FIFO queue. */
export class ConnectionPool {
  readonly #size: number;
  readonly #idle: DuckDBConnection[] = [];
  readonly #queue: { resolve: (connection: DuckDBConnection) => void; reject: (error: unknown) => void }[] =
    [];
  #failure: { error: unknown } | undefined;

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

  /** Waits for running queries, then closes all connections; later queries wait until the pool is refilled. */
  async drain(): Promise<void> {
    const all = await Promise.all(Array.from({ length: this.#size }, () => this.#acquire()));
    for (const connection of all) connection.closeSync();
  }

  /** Rejects all current and future queries. */
  fail(error: unknown): void {
    this.#failure = { error };
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #acquire(): Promise<DuckDBConnection> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    const connection = this.#idle.pop();
    if (connection) return Promise.resolve(connection);
    return new Promise((resolve, reject) => {
      this.#queue.push({ resolve, reject });
    });
  }

  #release(connection: DuckDBConnection): void {
    const next = this.#queue.shift();
    if (next) next.resolve(connection);
    else this.#idle.push(connection);
  }
}
