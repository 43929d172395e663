import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBValue,
} from '@duckdb/node-api';

// Each limit keeps the thread for a few milliseconds at most, so that journal commits on it are not held up.
// A request holds up to 500 events, and a chunk 2,048 rows.
const CHUNK_ROWS = 1500;
const CHUNK_CHARACTERS = 256 * 1024;
const FLUSH_ROWS = 6000;

/**
 * Appends rows to one table in whole chunks: columns of numbers cost a tenth of single appends. One appender is
 * kept for good, since each new one holds on to memory.
 */
export class ChunkWriter {
  readonly #appender: DuckDBAppender;
  readonly #chunk: DuckDBDataChunk;
  readonly #columns: DuckDBValue[][];
  #rows = 0;
  #characters = 0;
  #unflushed = 0;

  private constructor(appender: DuckDBAppender) {
    this.#appender = appender;
    const types = Array.from({ length: appender.columnCount }, (_, column) => appender.columnType(column));
    this.#chunk = DuckDBDataChunk.create(types);
    this.#columns = types.map(() => []);
  }

  static async create(connection: DuckDBConnection, table: string): Promise<ChunkWriter> {
    return new ChunkWriter(await connection.createAppender(table));
  }

  add(row: readonly DuckDBValue[]): void {
    for (let column = 0; column < row.length; column++) {
      const value = row[column] as DuckDBValue;
      (this.#columns[column] as DuckDBValue[])[this.#rows] = value;
      if (typeof value === 'string') this.#characters += value.length;
    }
    this.#rows++;
  }

  get isFull(): boolean {
    return this.#rows >= CHUNK_ROWS || this.#characters >= CHUNK_CHARACTERS;
  }

  /** Hands the rows collected so far to the appender. */
  writeChunk(): void {
    if (this.#rows === 0) return;
    this.#chunk.reset();
    this.#chunk.rowCount = this.#rows;
    for (const [index, column] of this.#columns.entries()) {
      column.length = this.#rows;
      this.#chunk.setColumnValues(index, column);
    }
    this.#appender.appendDataChunk(this.#chunk);
    this.#unflushed += this.#rows;
    this.#empty();
    if (this.#unflushed >= FLUSH_ROWS) this.#flush();
  }

  /** Brings all rows into the transaction; answers whether there was anything to do. */
  finish(): boolean {
    this.writeChunk();
    if (this.#unflushed === 0) return false;
    this.#flush();
    return true;
  }

  /** Drops rows that are not in the transaction yet. */
  discard(): void {
    this.#empty();
    this.#unflushed = 0;
    this.#appender.clear();
  }

  close(): void {
    this.discard();
    this.#appender.closeSync();
  }

  #flush(): void {
    this.#appender.flushSync();
    this.#unflushed = 0;
  }

  #empty(): void {
    this.#rows = 0;
    this.#characters = 0;
    for (const column of this.#columns) column.length = 0;
  }
}
