import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBValue,
  type DuckDBVector,
} from '@duckdb/node-api';
import { asWritten } from '../sql.ts';

// Each step keeps the thread for a few milliseconds at most, so that journal commits on it are not held up.
// A request adds up to 500 rows after the last look at the limit.
const MAX_CHUNK_ROWS = 2048;
const CHUNK_ROWS = 1500;
const CHUNK_CHARACTERS = 256 * 1024;
const FLUSH_ROWS = 7500;
const FLUSH_CHARACTERS = 1024 * 1024;

/**
 * Appends rows to one table in whole chunks: columns of numbers cost a tenth of single appends. One appender is
 * kept for good, since each new one holds on to memory.
 */
export class ChunkWriter {
  readonly #appender: DuckDBAppender;
  readonly #chunk: DuckDBDataChunk;
  #columns: DuckDBVector<DuckDBValue>[] = [];
  #rows = 0;
  #characters = 0;
  #unflushed = 0;
  #unflushedCharacters = 0;

  private constructor(appender: DuckDBAppender) {
    this.#appender = appender;
    const types = Array.from({ length: appender.columnCount }, (_, column) => appender.columnType(column));
    this.#chunk = DuckDBDataChunk.create(types);
    this.#empty();
  }

  static async create(connection: DuckDBConnection, table: string): Promise<ChunkWriter> {
    return new ChunkWriter(await connection.createAppender(table));
  }

  /** Straight into the chunk: rows kept until it is full would outlive the garbage collector's first round. */
  add(row: readonly DuckDBValue[]): void {
    for (let column = 0; column < row.length; column++) {
      const value = row[column] as DuckDBValue;
      (this.#columns[column] as DuckDBVector<DuckDBValue>).setItem(this.#rows, asWritten(value));
      if (typeof value === 'string') this.#characters += value.length;
    }
    this.#rows++;
  }

  get isFull(): boolean {
    return this.#rows >= CHUNK_ROWS || this.#characters >= CHUNK_CHARACTERS;
  }

  /** Hands the rows collected so far to the appender. */
  async write(): Promise<void> {
    await this.#writeChunk();
    if (this.#unflushed >= FLUSH_ROWS || this.#unflushedCharacters >= FLUSH_CHARACTERS) await this.#flush();
  }

  /** Brings all rows into the transaction. */
  async finish(): Promise<void> {
    if (this.#rows > 0) await this.#writeChunk();
    if (this.#unflushed > 0) await this.#flush();
  }

  /** Drops rows that are not in the transaction yet. */
  discard(): void {
    this.#empty();
    this.#unflushed = 0;
    this.#unflushedCharacters = 0;
    this.#appender.clear();
  }

  close(): void {
    this.discard();
    this.#appender.closeSync();
  }

  async #writeChunk(): Promise<void> {
    for (const column of this.#columns) column.flush();
    this.#chunk.rowCount = this.#rows;
    this.#appender.appendDataChunk(this.#chunk);
    this.#unflushed += this.#rows;
    this.#unflushedCharacters += this.#characters;
    this.#empty();
    await nextTurn();
  }

  async #flush(): Promise<void> {
    this.#appender.flushSync();
    this.#unflushed = 0;
    this.#unflushedCharacters = 0;
    await nextTurn();
  }

  #empty(): void {
    this.#rows = 0;
    this.#characters = 0;
    this.#chunk.reset();
    this.#chunk.rowCount = MAX_CHUNK_ROWS;
    this.#columns = Array.from({ length: this.#chunk.columnCount }, (_, column) =>
      this.#chunk.getColumnVector(column),
    );
  }
}
