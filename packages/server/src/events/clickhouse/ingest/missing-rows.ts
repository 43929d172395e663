import { createHash } from 'node:crypto';
import type { ClickHouse } from '../connection/clickhouse-client.ts';
import { SqlValues } from '../connection/sql-values.ts';
import type { RequestTable, Row } from './request-rows.ts';

/** Those of the rows of a source that the table does not have yet. */
export async function missingRows(
  clickhouse: ClickHouse,
  source: string,
  table: RequestTable,
  rows: readonly Row[],
): Promise<Row[]> {
  if (rows.length === 0) return [];
  const values = new SqlValues();
  const properties = new Set(rows.map(([, , , property]) => String(property).toWellFormed()));
  // Properties and times only limit what is read: they are what the table is sorted and partitioned by.
  const stored = await clickhouse.rows<[ordinal: string, sessionId: string]>(
    `SELECT ordinal, session_id FROM ${clickhouse.tables.of(table)}
     WHERE source = ${values.text(source)} AND ${between('seq', 1, rows, values)}
       AND property IN ${values.texts([...properties])} AND ${between('happened_at', 5, rows, values)}`,
    values.parameters,
  );
  const keys = new Set(stored.map(([ordinal, sessionId]) => `${ordinal} ${sessionId}`));
  return rows.filter((row) => !keys.has(keyOf(row)));
}

/** The same for the same rows of a source. */
export function digestOf(rows: readonly Row[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(`${keyOf(row)}\n`);
  return hash.digest('hex').slice(0, 32);
}

/** A request has one start per session, all with the same ordinal. */
const keyOf = ([, , ordinal, , sessionId]: Row) => `${ordinal} ${String(sessionId).toWellFormed()}`;

function between(column: string, index: number, rows: readonly Row[], values: SqlValues): string {
  const numbers = rows.map((row) => Number(row[index]));
  const min = numbers.reduce((a, b) => Math.min(a, b));
  const max = numbers.reduce((a, b) => Math.max(a, b));
  return `${column} BETWEEN ${values.integer(min)} AND ${values.integer(max)}`;
}
