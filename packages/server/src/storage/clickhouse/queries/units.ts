import type { TableNames } from '../schema/table-names.ts';
import { latest } from './identities.ts';

/**
 * SELECT of the visitors of sessions: `session_id` and `visitor_unit`. Join it with LEFT JOIN, and use `UNIT`. The prefix
 * keeps the ids of visitors and sessions apart.
 *
 * @param columns more columns, from `collects` grouped by session; each begins with a comma
 */
export function visitorUnits(tables: TableNames, where: string, columns = ''): string {
  return `SELECT session_id, concat('v', ${latest('visitor_id')}) AS visitor_unit${columns}
    FROM ${tables.of('collects')} WHERE ${where} GROUP BY session_id`;
}

/** SQL for the unit of a row: its visitor, or its session. */
export const UNIT = "coalesce(visitor_unit, concat('s', session_id))";

/** Rows of sessions. */
export interface SessionRows {
  /** SELECT of rows with `session_id`. */
  select: string;
  /** SELECTs of their `session_id`; they may contain more sessions. */
  sessions: readonly string[];
}

/**
 * SELECT of rows with their `unit`. Rows of several tables are combined first, because each join adds to the time in which
 * a statement is planned, which is most of the time of a small one.
 *
 * @param property placeholder of the property
 * @param columns as in `visitorUnits`; the rows get them too
 */
export function rowsWithUnits(
  tables: TableNames,
  property: string,
  { select, sessions }: SessionRows,
  columns = '',
): string {
  const where = `property = ${property} AND session_id IN (${sessions.join(' UNION ALL ')})`;
  return `SELECT *, ${UNIT} AS unit FROM (${select}) AS events
    LEFT JOIN (${visitorUnits(tables, where, columns)}) AS visitors USING (session_id)`;
}
