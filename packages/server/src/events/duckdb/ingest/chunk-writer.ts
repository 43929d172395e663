import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBValue,
  type DuckDBVector,
} from '@duckdb/node-api';
import { escapeByteOrderMark } from '../connection/sql.ts';

// Each step blocks the thread for a few milliseconds at most, so that journal commits are not delayed.
// A request can add up to 500 rows after the last check of `isFull`.
const MAX_CHUNK_ROWS = 2048;
const CHUNK_ROWS = 1500;
const CHUNK_CHARACTERS = 256 * 1024;
const FLUSH_ROWS = 7500;
const FLUSH_CHARACTERS = 1024 * 1024;

/**
 * Appends rows to a table in chunks, at a tenth of the cost of single appends. The appender is reused, because each new
 * one retains memory.
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

  /** Writes directly into the chunk: buffered rows would survive the young-generation garbage collection. */
  add(row: readonly DuckDBValue[]): void {
    for (let column = 0; column < row.length; column++) {
      const value = row[column] as DuckDBValue;
      (this.#columns[column] as DuckDBVector<DuckDBValue>).setItem(this.#rows, escapeByteOrderMark(value));
      if (typeof value === 'string') this.#characters += value.length;
    }
    this.#rows++;
  }

  get isFull(): boolean {
    return this.#rows >= CHUNK_ROWS || this.#characters >= CHUNK_CHARACTERS;
  }

  /** Passes the rows to the appender. */
  async write(): Promise<void> {
    await this.#writeChunk();
    if (this.#unflushed >= FLUSH_ROWS || this.#unflushedCharacters >= FLUSH_CHARACTERS) await this.#flush();
  }

  /** Writes all rows to the transaction. */
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
