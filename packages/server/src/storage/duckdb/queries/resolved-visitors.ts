import { VISITOR_CHANGE } from '../ingest/session-visitors.ts';

/**
 * SQL for the latest visitors (`session_key`, `visitor_key`) of sessions whose stored `unit_key` is missing or
 * outdated.
 *
 * @param unresolved SELECTs of the sessions of events that were stored without their visitor
 */
export function resolvedVisitors(property: number, unresolved: readonly string[]): string {
  const sessions = [
    `SELECT session_key FROM collects WHERE property = ${property} AND visitor_change = ${VISITOR_CHANGE.other}`,
    ...unresolved,
  ];
  return `SELECT session_key, arg_max(visitor_key, seq) AS visitor_key FROM collects
    WHERE property = ${property} AND visitor_change <> ${VISITOR_CHANGE.same}
      AND session_key IN (${sessions.join(' UNION ALL ')})
    GROUP BY session_key`;
}
