import type { DuckDBConnection } from '@duckdb/node-api';
import type { BoundSql } from '../../connection/sql.ts';

/** One of several equal parts of the visitors; `of` is a power of two. */
export interface Part {
  index: number;
  of: number;
}

/** SQL for the visitors whose metrics are counted. */
export interface MetricVisitors {
  /** Term id of the property. */
  readonly property: number;
  readonly isByUser: boolean;
  /** Whether an exposure in a later phase ends the time of a visitor. */
  readonly canLeave: boolean;
  /** About how many rows are read to find them. */
  countRead(connection: DuckDBConnection): Promise<number>;
  /**
   * SELECT of `session_key` and `visitor_key` for sessions whose stored `unit_key` is missing or outdated.
   *
   * @param unresolved SELECTs of the sessions of further events that were stored without their visitor
   */
  resolved(connection: DuckDBConnection, unresolved: readonly string[]): Promise<BoundSql>;
  /** SELECT of `known_visitor` and `known_user`, the latest user of each visitor. */
  users(): BoundSql;
  /** SELECT of `unit`, `kind`, `first_at` and, if they can leave, `left_at`. It follows `metric_resolved`. */
  units(part: Part | undefined): BoundSql;
  /** Of a number in `kind`, the part that says which variation it is. */
  readonly variation: string;
  readonly isBot: string;
}

export const inPart = (unit: string, part: Part | undefined) =>
  part === undefined ? 'true' : `(${unit} & ${part.of - 1}) = ${part.index}`;
