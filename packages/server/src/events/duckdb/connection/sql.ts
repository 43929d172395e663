import { BIGINT, type DuckDBConnection, type DuckDBType, type DuckDBValue, VARCHAR } from '@duckdb/node-api';

/** Numbers are integers: counts, times, term ids. */
export type SqlValue = string | number | bigint;

/**
 * Runs a statement with bound values. Prepared statements are never cached: DuckDB plans with the current statistics,
 * and a cached plan returns wrong results after rows were added (`a = 0` stays "always true").
 */
export async function rowsOf<Row extends DuckDBValue[]>(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, boundValues(values), boundTypes(values));
  return reader.getRows() as Row[];
}

/** Like `rowsOf`, but returns objects keyed by column name. */
export async function recordsOf<Row extends Record<string, DuckDBValue>>(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, boundValues(values), boundTypes(values));
  return reader.getRowObjects() as Row[];
}

/** Like `rowsOf`, but yields chunks of rows while the statement runs, for results that do not fit into memory. */
export async function* chunksOf<Row extends DuckDBValue[]>(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): AsyncGenerator<Row[]> {
  const result = await connection.stream(sql, boundValues(values), boundTypes(values));
  yield* result.yieldRows() as AsyncIterableIterator<Row[]>;
}

/** Runs a statement that changes data; returns the number of changed rows. */
export async function execute(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<number> {
  const result = await connection.run(sql, boundValues(values), boundTypes(values));
  return result.rowsChanged;
}

/** A statement and its bound values. */
export interface BoundSql {
  sql: string;
  values: readonly SqlValue[];
}

/** Creates a temporary table of a SELECT, or replaces it. The caller's transaction ends with a rollback. */
export async function createTemporary(
  connection: DuckDBConnection,
  name: string,
  { sql, values }: BoundSql,
): Promise<void> {
  await execute(connection, `CREATE OR REPLACE TEMP TABLE ${name} AS ${sql}`, values);
}

/** Rolls back on failure, because DuckDB would commit the statements before a failed one. */
export async function inTransaction<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('BEGIN TRANSACTION');
  try {
    const result = await work();
    await connection.run('COMMIT');
    return result;
  } catch (error) {
    // A failed COMMIT has already ended the transaction; report the original error, not that of ROLLBACK.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Runs several statements on the same snapshot; the signal interrupts the one that runs. The statements around them are
 * not interrupted: the connection would stay in the transaction, and fail whatever runs on it next.
 */
export async function inSnapshot<T>(
  connection: DuckDBConnection,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  await connection.run('BEGIN TRANSACTION READ ONLY');
  try {
    return await interruptible(connection, work, signal);
  } finally {
    await connection.run('ROLLBACK');
  }
}

async function interruptible<T>(
  connection: DuckDBConnection,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const interrupt = () => connection.interrupt();
  signal?.addEventListener('abort', interrupt);
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

/** Collects the bound values of a dynamically built statement. */
export class SqlValues {
  readonly list: SqlValue[] = [];

  /** Returns the placeholder. */
  add(value: SqlValue): string {
    return `$${this.list.push(value)}`;
  }
}

/**
 * SQL that limits an ordered page to a number of bytes, but always returns the first row. `select` must have a column
 * `bytes`; adds the column `available`: the number of rows before the limit.
 */
export function withinBytes(select: string, order: string, budget: number): string {
  return `SELECT * EXCLUDE (bytes, bytes_before) FROM (
      SELECT *, count(*) OVER () AS available,
             sum(bytes) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (${select}))
    WHERE coalesce(bytes_before, 0) < ${budget} ORDER BY ${order}`;
}

/** JSON keys and short values. */
const OTHER_BYTES = 200;

/** SQL for the approximate size of a row as JSON: texts are escaped, stored JSON is not. */
export function jsonBytes(texts: readonly string[], json: readonly string[]): string {
  const lengths = [
    ...texts.map((text) => `strlen(to_json(${text}))`),
    ...json.map((text) => `strlen(${text})`),
  ];
  return [OTHER_BYTES, ...lengths.map((length) => `coalesce(${length}, 0)`)].join(' + ');
}

/** SQL for a list of 64-bit keys from one bound value, because binding each key costs more than the query. */
export function keyList(placeholder: string): string {
  return `(SELECT unnest(CAST(string_split(${placeholder}, ',') AS BIGINT[])))`;
}

/** Like `keyList`, for texts; the bound value is a JSON array. */
export function textList(placeholder: string): string {
  return `(SELECT unnest(from_json(${placeholder}, '["VARCHAR"]')))`;
}

/** Only for values that cannot be bound: paths of our own files. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Only for values that cannot be bound: names of databases and tables. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Doubles a leading byte order mark, because the driver strips one when reading. */
export function escapeByteOrderMark<T>(value: T): T | string {
  return typeof value === 'string' && value.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + value : value;
}

function boundValues(values: readonly SqlValue[]): DuckDBValue[] | undefined {
  if (values.length === 0) return undefined;
  return values.map((value) => (typeof value === 'number' ? BigInt(value) : escapeByteOrderMark(value)));
}

/** Explicit types: the driver would infer INTEGER or HUGEINT, and the resulting cast would disable zone maps. */
function boundTypes(values: readonly SqlValue[]): DuckDBType[] {
  return values.map((value) => (typeof value === 'string' ? VARCHAR : BIGINT));
}
