import { BIGINT, type DuckDBConnection, type DuckDBType, type DuckDBValue, VARCHAR } from '@duckdb/node-api';

/** Numbers are integers: counts, times, term ids. */
export type SqlValue = string | number | bigint;

/**
 * Runs one statement with bound values. Nothing is ever kept prepared: DuckDB plans with the statistics of the
 * moment, and a kept plan answers wrongly once rows were added (`a = 0` stays "always true").
 */
export async function rowsOf<Row extends DuckDBValue[]>(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, boundValues(values), boundTypes(values));
  return reader.getRows() as Row[];
}

/** As `rowsOf`, with the columns by their names. */
export async function recordsOf<Row extends Record<string, DuckDBValue>>(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, boundValues(values), boundTypes(values));
  return reader.getRowObjects() as Row[];
}

/** Runs one statement that changes data; answers with the number of rows it changed. */
export async function execute(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<number> {
  const result = await connection.run(sql, boundValues(values), boundTypes(values));
  return result.rowsChanged;
}

/** All or nothing. DuckDB would commit what ran before a failed statement, so a failure always rolls back. */
export async function inTransaction<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('BEGIN TRANSACTION');
  try {
    const result = await work();
    await connection.run('COMMIT');
    return result;
  } catch (error) {
    // A failed COMMIT has ended the transaction already; the first error is the one that tells.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Several statements that must see the same state of the store. */
export async function inSnapshot<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('BEGIN TRANSACTION READ ONLY');
  try {
    return await work();
  } finally {
    await connection.run('ROLLBACK');
  }
}

/** Collects the values of a statement that is put together from fixed pieces. */
export class SqlValues {
  readonly list: SqlValue[] = [];

  /** Answers with the placeholder. */
  add(value: SqlValue): string {
    return `$${this.list.push(value)}`;
  }
}

/**
 * The rows of an ordered page up to a budget of bytes, the first row in any case. `select` has a column `bytes`;
 * `available` is added to it: how many rows there were without the budget.
 */
export function withinBytes(select: string, order: string, budget: number): string {
  return `SELECT * EXCLUDE (bytes, bytes_before) FROM (
      SELECT *, count(*) OVER () AS available,
             sum(bytes) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (${select}))
    WHERE coalesce(bytes_before, 0) < ${budget} ORDER BY ${order}`;
}

/** Names of the members, and what is short. */
const OTHER_BYTES = 200;

/** About how long a row is as JSON: texts are escaped, stored JSON is shown as it is. */
export function jsonBytes(texts: readonly string[], json: readonly string[]): string {
  const lengths = [
    ...texts.map((text) => `strlen(to_json(${text}))`),
    ...json.map((text) => `strlen(${text})`),
  ];
  return [OTHER_BYTES, ...lengths.map((length) => `coalesce(${length}, 0)`)].join(' + ');
}

/** A list of 64-bit keys as one bound value: binding them one by one costs more than the query. */
export function keyList(placeholder: string): string {
  return `(SELECT unnest(CAST(string_split(${placeholder}, ',') AS BIGINT[])))`;
}

/** Only for what cannot be bound: the paths of our own files. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Only for what cannot be bound: names of databases. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** The driver takes a byte order mark at the start of a text away when it reads; so a text that has one gets two. */
export function asWritten<T>(value: T): T | string {
  return typeof value === 'string' && value.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + value : value;
}

function boundValues(values: readonly SqlValue[]): DuckDBValue[] | undefined {
  if (values.length === 0) return undefined;
  return values.map((value) => (typeof value === 'number' ? BigInt(value) : asWritten(value)));
}

/** Not the INTEGER or HUGEINT that would be guessed: a cast on the column would defeat its zone maps. */
function boundTypes(values: readonly SqlValue[]): DuckDBType[] {
  return values.map((value) => (typeof value === 'string' ? VARCHAR : BIGINT));
}
