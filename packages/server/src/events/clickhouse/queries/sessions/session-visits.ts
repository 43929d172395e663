import type { VisitEntry, VisitPart } from '../../../store/session-context-queries.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { SESSION_KEY } from '../units.ts';

/** Values of the columns of `visitSql`; none if nothing was asked for. */
export type VisitValues = [startedAt?: string, firstStart?: string, entryUrl?: string, referrer?: string];

interface Sessions {
  /** Conditions: the property, and rows of `session_starts` and of `collects` of the sessions. */
  property: string;
  starts: string;
  collects: string;
}

/** The order of page views; see `session-summaries.ts`. */
const ENTRY = '(entry_at, toString(source), entry_ordinal)';

/**
 * SQL that adds what is known of the visits to a SELECT of sessions with `session_id` and `visitor`: columns, with a comma
 * before them, and joins. A visitor is returning if any session that was ever theirs started earlier.
 */
export function visitSql(
  tables: TableNames,
  { property, starts, collects }: Sessions,
  visit: readonly VisitPart[] = [],
): { columns: string; joins: string } {
  if (visit.length === 0) return { columns: '', joins: '' };
  const visits = `SELECT session_id, min(happened_at) AS started_at,
      argMinIf(entry_url, ${ENTRY}, has_view) AS entry_url, argMinIf(entry_referrer, ${ENTRY}, has_view) AS entry_referrer
    FROM ${tables.of('session_starts')} WHERE ${starts} GROUP BY session_id`;
  const isReturning = visit.includes('returning');
  return {
    columns: `, started_at, ${isReturning ? 'first_start' : 'started_at'}, entry_url, entry_referrer`,
    joins: ` LEFT ANY JOIN (${visits}) AS visits USING (session_id)
      ${isReturning ? `LEFT ANY JOIN (${firstStarts(tables, property, collects)}) AS first_starts USING (visitor)` : ''}`,
  };
}

/** SELECT of the visitors with a collect, and of the start of their first session. Their sessions are on several shards. */
function firstStarts(tables: TableNames, property: string, collects: string): string {
  const visitors = `SELECT visitor_id FROM ${tables.of('collects')} WHERE ${collects}`;
  const own = `${property} AND visitor_id GLOBAL IN (${visitors})`;
  const sessions = `SELECT ${SESSION_KEY} AS session, visitor_id FROM ${tables.of('collects')}
    WHERE ${own} GROUP BY session, visitor_id`;
  const starts = `SELECT ${SESSION_KEY} AS session, min(happened_at) AS session_start FROM ${tables.of('session_starts')}
    WHERE ${property} AND session GLOBAL IN (SELECT ${SESSION_KEY} FROM ${tables.of('collects')} WHERE ${own})
    GROUP BY session`;
  return `SELECT visitor_id AS visitor, min(session_start) AS first_start
    FROM (${sessions}) AS seen INNER JOIN (${starts}) AS starts USING (session) GROUP BY visitor`;
}

interface Visit {
  startedAt?: number;
  returning?: boolean;
  entry?: VisitEntry;
}

/** What was asked for. */
export function visitOf(
  [startedAt, firstStart, entryUrl, referrer]: VisitValues,
  visit: readonly VisitPart[] = [],
): Visit {
  const start = Number(startedAt);
  return {
    ...(visit.includes('start') && { startedAt: start }),
    ...(visit.includes('returning') && { returning: Number(firstStart) < start }),
    ...(visit.includes('entry') && { entry: { entryUrl: entryUrl || null, referrer: referrer || null } }),
  };
}
