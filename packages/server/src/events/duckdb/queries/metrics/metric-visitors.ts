import type { DuckDBConnection } from '@duckdb/node-api';
import { type BoundSql, rowsOf } from '../../connection/sql.ts';

/** One of several equal parts of the visitors; `of` is a power of two. */
export interface Part {
  index: number;
  of: number;
}

/** All parts of the visitors; `undefined` stands for all visitors. */
export type Parts = readonly (Part | undefined)[];

/** Rows that visitors are found in. */
export interface Entries {
  readonly rows: number;
  /** No visitor entered before this, */
  readonly first: number;
  /** or after this. */
  readonly last: number;
}

/** SQL for the visitors whose metrics are counted. */
export interface MetricVisitors {
  /** Term id of the property. */
  readonly property: number;
  readonly isByUser: boolean;
  /** Whether an exposure in a later phase ends the time of a visitor. */
  readonly canLeave: boolean;
  /** What is read to find them; undefined without any visitor. */
  entries(connection: DuckDBConnection): Promise<Entries | undefined>;
  /**
   * SELECT of `session_key` and `visitor_key` for sessions whose stored `unit_key` is missing or outdated.
   *
   * @param unresolved SELECTs of the sessions of further events that were stored without their visitor
   */
  resolved(connection: DuckDBConnection, unresolved: readonly string[]): Promise<BoundSql>;
  /** SELECT of `known_visitor` and `known_user`, the latest user of each visitor. */
  users(): BoundSql;
  /** SELECT of `unit`, `kind`, `first_at` and, if they can leave, `left_at`, after `metric_resolved` is created. */
  units(part: Part | undefined): BoundSql;
  /** Of a number in `kind`, the part that says which variation it is. */
  readonly variation: string;
  readonly isBot: string;
}

export const inPart = (unit: string, part: Part | undefined) =>
  part === undefined ? 'true' : `(${unit} & ${part.of - 1}) = ${part.index}`;

/** Counts the rows of a table; undefined without any in which visitors enter. */
export async function entriesIn(
  connection: DuckDBConnection,
  table: string,
  { where, enteredAt }: { where: string; enteredAt: string },
): Promise<Entries | undefined> {
  const [row] = await rowsOf<[bigint, bigint | null, bigint | null]>(
    connection,
    `SELECT count(*), min(${enteredAt}), max(${enteredAt}) FROM ${table} WHERE ${where}`,
  );
  const [rows, first, last] = row!;
  return first === null ? undefined : { rows: Number(rows), first: Number(first), last: Number(last) };
}
