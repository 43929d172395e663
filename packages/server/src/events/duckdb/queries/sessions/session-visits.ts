import type { VisitEntry, VisitPart } from '../../../store/session-context-queries.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import type { QueryContext } from '../query-context.ts';

/** Values of the columns of `visitSql`; null if they were not asked for. */
export type VisitValues = [
  startedAt: number | null,
  returning: boolean | null,
  entryUrl: string | null,
  referrer: string | null,
];

interface Sessions {
  property: number;
  /** Table with `session_key`, `visitor_key` and `started_at`. */
  table: string;
  /** SQL: none of the sessions started earlier. */
  since: number | string;
}

/**
 * SQL that adds what is known of the visits to a statement on sessions: common table expressions, joins, and columns. A
 * visitor is returning if any session that was ever theirs started earlier.
 */
export function visitSql(
  { sources }: QueryContext,
  { property, table, since }: Sessions,
  visit: readonly VisitPart[] = [],
): { tables: string; joins: string; columns: string } {
  const has = (part: VisitPart) => visit.includes(part);
  const first = (column: string) =>
    `nullif(arg_min(coalesce(${column}, ''), (happened_at, ${sources.tieBreak})), '')`;
  const views = (from: string, condition: string) =>
    `SELECT session_key, happened_at, url, referrer, seq, source, event_index FROM ${from}
     WHERE property = ${property} AND happened_at >= ${since} AND ${condition}
       AND session_key IN (SELECT session_key FROM ${table})`;
  const entries = `, entries AS (
    SELECT session_key, ${first('url')} AS entry_url, ${first('referrer')} AS entry_referrer
    FROM (${views('session_events', `type = ${SESSION_EVENT_TYPES.pageview}`)}
          UNION ALL ${views('expired_views', 'true')})
    GROUP BY session_key)`;
  const firstStarts = `, first_starts AS (
    SELECT visitor_key, min(sessions.started_at) AS first_start
    FROM collects JOIN sessions USING (session_key)
    WHERE collects.property = ${property} AND visitor_key IN (SELECT visitor_key FROM ${table})
    GROUP BY visitor_key)`;
  return {
    tables: (has('entry') ? entries : '') + (has('returning') ? firstStarts : ''),
    joins:
      (has('entry') ? ' LEFT JOIN entries USING (session_key)' : '') +
      (has('returning') ? ' JOIN first_starts USING (visitor_key)' : ''),
    columns: [
      has('start') ? 'started_at' : 'NULL',
      has('returning') ? 'first_start < started_at' : 'NULL',
      ...(has('entry') ? ['entry_url', 'entry_referrer'] : ['NULL', 'NULL']),
    ].join(', '),
  };
}

/** What the part `entry` adds to a context; undefined if it was not asked for. */
export const entryOf = (
  [, , entryUrl, referrer]: VisitValues,
  visit: readonly VisitPart[] = [],
): VisitEntry | undefined => (visit.includes('entry') ? { entryUrl, referrer } : undefined);
