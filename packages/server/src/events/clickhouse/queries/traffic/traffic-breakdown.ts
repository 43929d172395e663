import type { TrafficBreakdown, TrafficBreakdownQuery } from '../../../store/traffic-queries.ts';
import type { QueryContext } from '../query-context.ts';
import { TrafficSessions } from './traffic-sessions.ts';

type BreakdownRow = [
  value: string | null,
  visitors: string,
  sessions: string,
  pageviews: string,
  bounces: string,
  available: string,
];

/** Sessions of a period by a dimension. */
export async function trafficBreakdown(
  { clickhouse, signal }: QueryContext,
  query: TrafficBreakdownQuery,
): Promise<TrafficBreakdown> {
  const sessions = new TrafficSessions(clickhouse.tables, query, { by: query.by });
  // A session counts for each page that it viewed.
  const visits =
    query.by === 'page'
      ? `SELECT unit, bounced, bot, page_views.2 AS pageviews, nullIf(page_views.1, '') AS value
         FROM (${sessions.visits}) ARRAY JOIN CAST(views, 'Array(Tuple(String, UInt64))') AS page_views`
      : sessions.visits;
  const rows = await clickhouse.rows<BreakdownRow>(
    `SELECT *, count() OVER () FROM (
       SELECT value, uniqExact(unit) AS visitors, count() AS sessions, sum(pageviews), countIf(bounced)
       FROM (${visits}) WHERE bot = ${query.bot} GROUP BY value)
     ORDER BY visitors DESC, sessions DESC, value ASC NULLS LAST LIMIT ${query.limit}`,
    sessions.values.parameters,
    signal,
  );
  return {
    rows: rows.map(([value, visitors, count, pageviews, bounces]) => ({
      value,
      visitors: Number(visitors),
      sessions: Number(count),
      pageviews: Number(pageviews),
      bounces: Number(bounces),
    })),
    values: Number(rows[0]?.[5] ?? 0),
  };
}
