import type { TableNames } from '../../schema/table-names.ts';
import { type Period, seenSessions, startedSessions } from '../sessions/started-sessions.ts';
import { SESSION_KEY } from '../units.ts';
import { EVENT_COLUMNS } from './reached-goals.ts';
import type { VisitorEvents } from './split-test-visitors.ts';

/**
 * Sessions that started within a period, as events with the number 0, except for those with an exposure: how many there are
 * can depend on what the visitor saw.
 *
 * @param exposed condition on `exposures`
 */
export function sessionsBefore(tables: TableNames, period: Period, exposed: string): VisitorEvents {
  return {
    columns: EVENT_COLUMNS,
    select: `SELECT session, 0 AS number, started_at AS at, 1 AS direction, 0 AS micros
      FROM (${startedSessions(tables, period)})
      WHERE session NOT IN (SELECT ${SESSION_KEY} FROM ${tables.of('exposures')} WHERE ${exposed})`,
    sessions: [seenSessions(tables, period)],
  };
}
