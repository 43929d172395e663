import { CHANGED_VISITOR } from '../../ingest/session-visitors.ts';
import type { QueryContext } from '../query-context.ts';

/**
 * SQL for the latest visitors (`session_key`, `visitor_key`) of sessions whose stored `unit_key` is missing or
 * outdated.
 *
 * @param unresolved SELECTs of the sessions of events that were stored without their visitor
 */
export function resolvedVisitors(
  { sources, namingCollects }: QueryContext,
  property: number,
  unresolved: readonly string[],
): string {
  const sessions = [
    `SELECT session_key FROM collects WHERE property = ${property} AND ${CHANGED_VISITOR}`,
    ...unresolved,
  ];
  return `SELECT session_key, arg_max(visitor_key, ${sources.collectOrder}) AS visitor_key FROM collects
    WHERE property = ${property} AND ${namingCollects}
      AND session_key IN (${sessions.join(' UNION ALL ')})
    GROUP BY session_key`;
}
