import type { TableNames } from '../schema/table-names.ts';
import { latest } from './identities.ts';

/**
 * SQL for numbers that stand for sessions and visitors: the engine takes several times as long to join and group texts.
 * With 128 bits, no two ids have the same number.
 */
export const SESSION_KEY = "reinterpretAsUInt128(sipHash128('session', session_id))";
export const VISITOR_KEY = "reinterpretAsUInt128(sipHash128('visitor', visitor_id))";

/**
 * SELECT of the visitors of sessions: `session` and `visitor`, their keys. Join it with LEFT ANY JOIN, and use `UNIT`.
 *
 * @param columns more columns, from `collects` grouped by session; each begins with a comma
 */
function visitorUnits(tables: TableNames, where: string, columns = ''): string {
  return `SELECT ${SESSION_KEY} AS session, ${latest(VISITOR_KEY)} AS visitor${columns}
    FROM ${tables.of('collects')} WHERE ${where} GROUP BY session`;
}

/** SQL for the unit of a row: its visitor, or its session. */
const UNIT = 'coalesce(visitor, session)';

/** Rows of sessions. */
export interface SessionRows {
  /** SELECT of rows with `session`, the key of their session. */
  select: string;
  /** SELECTs of their `session`; they may contain more sessions. */
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
  const where = `property = ${property} AND ${SESSION_KEY} IN (${sessions.join(' UNION ALL ')})`;
  return `SELECT *, ${UNIT} AS unit FROM (${select}) AS events
    LEFT ANY JOIN (${visitorUnits(tables, where, columns)}) AS visitors USING (session)`;
}
