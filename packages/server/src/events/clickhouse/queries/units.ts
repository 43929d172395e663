import type { SplitTestUnit } from '../../store/split-test-queries.ts';
import type { TableNames } from '../schema/table-names.ts';
import { latest } from './sessions/latest-identity.ts';

/**
 * SQL for numbers that stand for sessions, visitors and users: the engine takes several times as long to join and group
 * texts. With 128 bits, no two ids have the same number.
 */
export const SESSION_KEY = "reinterpretAsUInt128(sipHash128('session', session_id))";
export const VISITOR_KEY = "reinterpretAsUInt128(sipHash128('visitor', visitor_id))";
const USER_KEY = "reinterpretAsUInt128(sipHash128('user', assumeNotNull(user_id)))";

/** Whose rows belong together. */
export interface UnitQuery {
  /** Placeholder of the property. */
  property: string;
  /** Default: `visitor`. */
  unit?: SplitTestUnit | undefined;
  /** Names and SQL of more columns, from `collects` grouped by session; the rows get them too. */
  columns?: Readonly<Record<string, string>>;
}

/** SELECT of the visitors of sessions: `session` and `visitor`, their keys. Join it with LEFT ANY JOIN, and use `UNIT`. */
function visitorUnits(
  tables: TableNames,
  sessions: readonly string[],
  { property, unit, columns = {} }: UnitQuery,
): string {
  const more = Object.entries(columns).map(([name, sql]) => `, ${sql} AS ${name}`);
  const collects = tables.of('collects');
  const visitors = `SELECT ${SESSION_KEY} AS session, ${latest(VISITOR_KEY)} AS visitor${more.join('')}
    FROM ${collects} WHERE property = ${property} AND ${SESSION_KEY} IN (${sessions.join(' UNION ALL ')})
    GROUP BY session`;
  if (unit !== 'user') return visitors;
  // Of all collects of a visitor, even if their session belongs to another visitor since.
  const users = `SELECT ${VISITOR_KEY} AS visitor, ${latest(USER_KEY)} AS user_key FROM ${collects}
    WHERE property = ${property} AND user_id IS NOT NULL GROUP BY visitor`;
  const names = Object.keys(columns).map((name) => `, ${name}`);
  return `SELECT session, coalesce(user_key, visitor) AS visitor${names.join('')} FROM (${visitors}) AS identified
    LEFT ANY JOIN (${users}) AS users USING (visitor)`;
}

/** SQL for the unit of a row: its visitor, or its session. */
const UNIT = 'coalesce(visitor, session)';

export interface SessionRows {
  /** SELECT of rows with `session`, the key of their session. */
  select: string;
  /** SELECTs of their `session`; they may contain more sessions. */
  sessions: readonly string[];
}

/**
 * SELECT of rows with their `unit`. Rows of several tables are combined first, because each join adds to the time in which
 * a statement is planned, which is most of the time of a small one.
 */
export function rowsWithUnits(
  tables: TableNames,
  { select, sessions }: SessionRows,
  query: UnitQuery,
): string {
  return `SELECT *, ${UNIT} AS unit FROM (${select}) AS events
    LEFT ANY JOIN (${visitorUnits(tables, sessions, query)}) AS visitors USING (session)`;
}
