import type { TableNames } from '../../schema/table-names.ts';
import type { VisitorEvents } from '../split-tests/split-test-visitors.ts';
import { rowsWithUnits, SESSION_KEY, type UnitQuery } from '../units.ts';

/** Placeholders of a property and a period: `from` inclusive, `to` exclusive. */
export interface Period {
  property: string;
  from: string;
  to: string;
}

/** SELECT of the sessions that started within a period: `session`, its key, and `started_at`. */
export function startedSessions(tables: TableNames, period: Period): string {
  return `SELECT ${SESSION_KEY} AS session, min(happened_at) AS started_at FROM ${tables.of('session_starts')}
    WHERE ${isIn(period)} AND session NOT IN (${earlierSessions(tables, period)}) GROUP BY session`;
}

/** SELECT of the keys of the sessions with a row in a period. */
export const seenSessions = (tables: TableNames, period: Period) =>
  `SELECT ${SESSION_KEY} FROM ${tables.of('session_starts')} WHERE ${isIn(period)}`;

/** SELECT of the keys of those that started before the period. */
export const earlierSessions = (tables: TableNames, period: Period) =>
  `SELECT ${SESSION_KEY} FROM ${tables.of('session_starts')}
   WHERE property = ${period.property} AND happened_at < ${period.from}
     AND ${SESSION_KEY} IN (${seenSessions(tables, period)})`;

const isIn = ({ property, from, to }: Period) =>
  `property = ${property} AND happened_at >= ${from} AND happened_at < ${to}`;

/**
 * SELECT of these sessions with their visitors: `unit`, `has_started` and `started_at`; and of events, for which
 * `has_started` is false.
 *
 * @param visitorColumns as in `UnitQuery`
 */
export function startedUnits(
  tables: TableNames,
  period: Period,
  events?: VisitorEvents,
  visitorColumns: UnitQuery['columns'] = {},
): string {
  const columns = Object.entries(events?.columns ?? {});
  const started = `SELECT session, true AS has_started, started_at
    ${columns.map(([name, empty]) => `, ${empty} AS ${name}`).join('')} FROM (${startedSessions(tables, period)})`;
  const others = events
    ? `UNION ALL SELECT session, false, 0 ${columns.map(([name]) => `, ${name}`).join('')} FROM (${events.select})`
    : '';
  const sessions = [seenSessions(tables, period), ...(events?.sessions ?? [])];
  const { property } = period;
  return rowsWithUnits(
    tables,
    { select: `${started} ${others}`, sessions },
    { property, columns: visitorColumns },
  );
}
