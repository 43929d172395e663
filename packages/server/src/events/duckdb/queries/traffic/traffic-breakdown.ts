import type { TrafficBreakdown, TrafficBreakdownQuery } from '../../../store/traffic-queries.ts';
import { recordsOf } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { TrafficSessions } from './traffic-sessions.ts';
import { pageOf } from './traffic-values.ts';

type BreakdownRow = { value: string | null } & Record<
  'visitors' | 'sessions' | 'pageviews' | 'bounces' | 'available',
  bigint
>;

/** Sessions of a period by a dimension. The caller holds a snapshot. */
export async function trafficBreakdown(
  context: QueryContext,
  query: TrafficBreakdownQuery,
): Promise<TrafficBreakdown> {
  const sessions = await TrafficSessions.of(context, query, { by: query.by });
  if (!sessions) return { rows: [], values: 0 };
  const own = query.bot ? 'bot' : 'NOT bot';
  const counts =
    query.by === 'page'
      ? countsByPage(sessions, own)
      : {
          tables: '',
          select: `SELECT value, ${aggregates('pageviews')} FROM visits WHERE ${own} GROUP BY value`,
        };
  const rows = await recordsOf<BreakdownRow>(
    context.connection,
    `WITH ${sessions.tables} ${counts.tables}
     SELECT *, count(*) OVER () AS available FROM (${counts.select})
     ORDER BY visitors DESC, sessions DESC, value NULLS LAST LIMIT ${query.limit}`,
    sessions.values.list,
  );
  return {
    rows: rows.map(({ value, visitors, sessions, pageviews, bounces }) => ({
      value,
      visitors: Number(visitors),
      sessions: Number(sessions),
      pageviews: Number(pageviews),
      bounces: Number(bounces),
    })),
    values: Number(rows[0]?.available ?? 0),
  };
}

const aggregates = (views: string) =>
  `count(DISTINCT unit) AS visitors, count(*) AS sessions, sum(${views}) AS pageviews,
   count(*) FILTER (bounced) AS bounces`;

/**
 * A session counts for each page that it viewed. Pages are extracted from distinct URLs and grouped by number, because
 * there are many times as many views.
 */
function countsByPage(sessions: TrafficSessions, own: string): { tables: string; select: string } {
  return {
    tables: `,
      views AS (SELECT session_key, coalesce(url, '') AS url FROM session_events
                WHERE ${sessions.viewsOf('matching')}),
      pages AS MATERIALIZED (
        SELECT url, value, dense_rank() OVER (ORDER BY value) AS page
        FROM (SELECT url, ${pageOf('url')} AS value FROM (SELECT DISTINCT url FROM views))),
      viewed AS (SELECT session_key, page, count(*) AS views FROM views JOIN pages USING (url)
                 GROUP BY session_key, page),
      counts AS (SELECT page, ${aggregates('views')} FROM viewed JOIN visits USING (session_key)
                 WHERE ${own} GROUP BY page)`,
    select:
      'SELECT counts.* EXCLUDE (page), value FROM counts JOIN (SELECT DISTINCT page, value FROM pages) USING (page)',
  };
}
