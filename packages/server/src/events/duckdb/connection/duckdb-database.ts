import { totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { toDamageError } from '../verification/store-inspection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { removeLeftovers } from './database-files.ts';
import { rowsOf } from './sql.ts';
import { lockedError, StoreLock } from './store-lock.ts';

export interface DuckDbOptions {
  /** Max visitors of a test that are grouped at a time; default: depends on the available memory. */
  maxVisitors?: number;
  /** The same for metrics. */
  maxMetricVisitors?: number;
}

/** Memory for large queries, which release it afterwards; with less they spill to disk and get much slower. */
const MEMORY_MB = Math.round(Math.min(256, Math.max(128, totalmem() / 4 / 2 ** 20)));
const THREADS = 2;
/** Memory limit that makes DuckDB drop cached blocks, see `releaseMemory`. */
const IDLE_MEMORY_MB = 64;

// A query occupies one of libuv's four threads: with more readers, file I/O and crypto would wait for reports.
const READERS = 2;

/** Measured, including their conversions: 2.5 million visitors fit into 256 MB. */
const VISITORS_PER_MEGABYTE = 9500;
/** Groups of metrics use the disk if they do not fit: that takes less time than reading the events of each part. */
const METRIC_VISITORS_PER_MEGABYTE = 4 * VISITORS_PER_MEGABYTE;

/** How long to wait for another process that opened the swapped-in file first. */
const REOPEN_MS = 5000;

/** An open database file: one connection for writing, several for reading, and support for swapping the file. */
export class DuckDbDatabase {
  readonly file: string;
  readonly maxVisitors: number;
  readonly maxMetricVisitors: number;
  readonly #readers = new ConnectionPool(READERS);
  readonly #quick = new ConnectionPool(1);
  readonly #background = new ConnectionPool(1);
  readonly #lock: StoreLock;
  #instance: DuckDBInstance | undefined;
  #writer: DuckDBConnection | undefined;
  #writes: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(file: string, options: DuckDbOptions, lock: StoreLock) {
    this.file = file;
    this.maxVisitors = options.maxVisitors ?? VISITORS_PER_MEGABYTE * MEMORY_MB;
    this.maxMetricVisitors = options.maxMetricVisitors ?? METRIC_VISITORS_PER_MEGABYTE * MEMORY_MB;
    this.#lock = lock;
  }

  static async open(file: string, options: DuckDbOptions): Promise<DuckDbDatabase> {
    const lock = StoreLock.take(file);
    const database = new DuckDbDatabase(file, options, lock);
    try {
      await database.#connect();
    } catch (error) {
      lock.release();
      throw error;
    }
    return database;
  }

  /** Runs a query on its own connection. */
  read<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    return this.#use(this.#readers, work);
  }

  /** Like `read`, for short queries that must not wait for reports. */
  readQuick<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    return this.#use(this.#quick, work);
  }

  /** Like `read`, for background work that must not delay queries. */
  readInBackground<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    return this.#use(this.#background, work);
  }

  /** Whether queries of `read` are running. */
  get isReading(): boolean {
    return !this.#readers.isIdle;
  }

  /** Makes the engine drop cached blocks. Skipped while queries run, since they could fail for lack of memory. */
  async releaseMemory(connection: DuckDBConnection): Promise<void> {
    if (this.isReading || !this.#quick.isIdle) return;
    const limits = [IDLE_MEMORY_MB, MEMORY_MB].map((megabytes) => `SET memory_limit = '${megabytes}MiB'`);
    await connection.run(limits.join('; ')).catch(() => undefined);
  }

  #use<T>(pool: ConnectionPool, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    return pool.use(work).catch((error: unknown) => {
      throw toDamageError(error, this.file);
    });
  }

  /** Queues writes, so that only one runs at a time. */
  write<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    const result = this.#writes.then(() => {
      if (!this.#writer) throw closedError();
      return work(this.#writer);
    });
    this.#writes = result.catch(() => undefined);
    return result.catch((error: unknown) => {
      throw toDamageError(error, this.file);
    });
  }

  /**
   * Closes the file, calls `swap` to replace it, and opens the new file; queries wait meanwhile. Call it only inside
   * `write`. If `swap` fails, the old file is opened again.
   */
  async reopen(swap: () => Promise<void>): Promise<void> {
    await this.#disconnect();
    try {
      await swap();
    } finally {
      await this.#reconnect().catch((error: unknown) => this.#fail(error));
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#writes;
    if (this.#instance) await this.#disconnect();
    this.#lock.release();
  }

  /** Spill files of large queries. */
  get #tempDirectory(): string {
    return `${this.file}.tmp`;
  }

  async #connect(): Promise<void> {
    this.#instance = await openInstance(this.file, {
      memory_limit: `${MEMORY_MB}MiB`,
      threads: String(THREADS),
      temp_directory: this.#tempDirectory,
      // Returns freed memory to the OS within seconds; saves about 100 MB.
      allocator_background_threads: 'true',
      allocator_flush_threshold: '2MiB',
      allocator_bulk_deallocation_flush_threshold: '2MiB',
      // For new files: compresses ids better than the default, which DuckDB 0.10 can read. Existing files keep theirs
      // until they are rewritten.
      storage_compatibility_version: 'v1.3.0',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
    const instance = this.#instance;
    this.#writer = await instance.connect();
    await this.#removeLeftovers(this.#writer);
    await this.#readers.fill(() => instance.connect());
    await this.#quick.fill(() => instance.connect());
    await this.#background.fill(() => instance.connect());
  }

  async #reconnect(): Promise<void> {
    for (const deadline = performance.now() + REOPEN_MS; ; ) {
      try {
        return await this.#connect();
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'STORE_LOCKED' || performance.now() > deadline)
          throw error;
        await sleep(20);
      }
    }
  }

  /** Called with the lock held, so that no other process uses these files. */
  async #removeLeftovers(connection: DuckDBConnection): Promise<void> {
    const inUse = await rowsOf<[string]>(connection, 'SELECT path FROM duckdb_temporary_files()');
    if (inUse.length === 0) await removeLeftovers(this.file, this.#tempDirectory);
  }

  /** Rejects waiting queries, which would otherwise hang. */
  #fail(error: unknown): never {
    this.#closed = true;
    this.#readers.fail(error);
    this.#quick.fail(error);
    this.#background.fail(error);
    throw error;
  }

  async #disconnect(): Promise<void> {
    // Background queries may take long; other queries go on until they have ended.
    await this.#background.drain();
    await Promise.all([this.#readers.drain(), this.#quick.drain()]);
    // Otherwise `closeSync` checkpoints and blocks the thread.
    await this.#writer?.run('CHECKPOINT').catch(() => undefined);
    this.#writer?.closeSync();
    this.#instance?.closeSync();
    this.#writer = undefined;
    this.#instance = undefined;
  }
}

async function openInstance(file: string, config: Record<string, string>): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(file, config);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('Could not set lock on file')) throw error;
    throw lockedError(`Another program has the event store open: ${error.message}`, error);
  }
}

function closedError(): Error {
  return Object.assign(new Error('The event store is closed'), { code: 'STORE_CLOSED' });
}
