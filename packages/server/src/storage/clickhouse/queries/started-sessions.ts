import type { TableNames } from '../schema/table-names.ts';
import { sessionStarts } from './session-starts.ts';
import type { VisitorEvents } from './split-test-visitors.ts';
import { rowsWithUnits } from './units.ts';

/** Placeholders of a property and a period: `from` inclusive, `to` exclusive. */
interface Period {
  property: string;
  from: string;
  to: string;
}

/** SELECT of the sessions that started within a period: `session_id` and `started_at`. */
export function startedSessions(tables: TableNames, period: Period): string {
  const { property, from, to } = period;
  // Later rows cannot be the start of such a session, and one of its rows is in the period.
  const where = `property = ${property} AND happened_at < ${to} AND session_id IN (${seenSessions(tables, period)})`;
  return `${sessionStarts(tables, where)} HAVING started_at >= ${from}`;
}

/**
 * SELECT of these sessions with their visitors: `unit`, `has_started` and `started_at`; and of events, for which
 * `has_started` is false.
 */
export function startedUnits(tables: TableNames, period: Period, events?: VisitorEvents): string {
  const columns = Object.entries(events?.columns ?? {});
  const started = `SELECT session_id, true AS has_started, started_at
    ${columns.map(([name, empty]) => `, ${empty} AS ${name}`).join('')} FROM (${startedSessions(tables, period)})`;
  const others = events
    ? `UNION ALL SELECT session_id, false, 0 ${columns.map(([name]) => `, ${name}`).join('')} FROM (${events.select})`
    : '';
  const sessions = [seenSessions(tables, period), ...(events?.sessions ?? [])];
  return rowsWithUnits(tables, period.property, { select: `${started} ${others}`, sessions });
}

const seenSessions = (tables: TableNames, { property, from, to }: Period) =>
  `SELECT session_id FROM ${tables.of('session_starts')}
   WHERE property = ${property} AND happened_at >= ${from} AND happened_at < ${to}`;
