import type { LiveQuery, LiveVisitors, ReceivedTimes } from '../../../store/traffic-queries.ts';
import { recordsOf, rowsOf } from '../../connection/sql.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import { botSessions, botTerm } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { sessionVisitors } from './traffic-sessions.ts';
import { pageOf } from './traffic-values.ts';

type LiveRow = { kind: 'total' | 'page' | 'country'; value: string | null; visitors: bigint };

/** Visitors who were active recently. The caller holds a snapshot. */
export async function liveVisitors(
  context: QueryContext,
  { propertyId, since, limit }: LiveQuery,
): Promise<LiveVisitors> {
  const { connection, terms, sources } = context;
  const property = terms.find(propertyId);
  if (property === undefined) return { visitors: 0, pages: [], countries: [] };
  const received = `property = ${property} AND received_at >= ${since}`;
  const recent = `SELECT session_key FROM collects WHERE ${received}
    UNION SELECT session_key FROM exposures WHERE ${received}`;
  const [start] = await rowsOf<[bigint | null]>(
    connection,
    `SELECT min(started_at) FROM sessions WHERE property = ${property} AND session_key IN (${recent})`,
  );
  const earliest = start?.[0] ?? null;
  if (earliest === null) return { visitors: 0, pages: [], countries: [] };
  const bots = botSessions(property, botTerm(terms), earliest);
  const active = `SELECT session_key FROM (${recent}) WHERE session_key NOT IN (${bots})`;
  const collected = `property = ${property} AND seen_until >= ${earliest} AND session_key IN (SELECT session_key FROM active)`;
  const largest = (kind: string, value: string) =>
    `(SELECT '${kind}' AS kind, ${value} AS value, count(*) AS visitors FROM live GROUP BY value
      ORDER BY visitors DESC, value NULLS LAST LIMIT ${limit})`;
  const rows = await recordsOf<LiveRow>(
    connection,
    `WITH active AS MATERIALIZED (${active}),
     visitors AS (${sessionVisitors(context, collected)}),
     units AS MATERIALIZED (
       SELECT session_key, coalesce(visitor_key, session_key) AS unit FROM active LEFT JOIN visitors USING (session_key)),
     viewed AS (
       SELECT unit, arg_max(coalesce(url, ''), (happened_at, ${sources.tieBreak})) AS url
       FROM session_events JOIN units USING (session_key)
       WHERE property = ${property} AND type = ${SESSION_EVENT_TYPES.pageview} AND happened_at >= ${earliest}
       GROUP BY unit),
     located AS (
       SELECT unit, arg_max(country, ${sources.collectOrder}) AS country FROM collects JOIN units USING (session_key)
       WHERE ${collected} GROUP BY unit),
     live AS MATERIALIZED (
       SELECT unit, ${pageOf('url')} AS page, text AS country
       FROM (SELECT DISTINCT unit FROM units) LEFT JOIN viewed USING (unit) LEFT JOIN located USING (unit)
       LEFT JOIN terms ON terms.id = located.country)
     SELECT 'total' AS kind, NULL AS value, count(*) AS visitors FROM live
     UNION ALL ${largest('page', 'page')} UNION ALL ${largest('country', 'country')}`,
  );
  const counts = (kind: LiveRow['kind']) =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ value, visitors }) => ({ value, visitors: Number(visitors) }));
  return { visitors: counts('total')[0]!.visitors, pages: counts('page'), countries: counts('country') };
}

/** Conversions and feedback are stored with the time of their receipt as the time at which they happened. */
const RECEIVED = [
  ['session', 'collects', 'received_at'],
  ['exposure', 'exposures', 'received_at'],
  ['goal', 'conversions', 'happened_at'],
  ['feedback', 'feedback', 'happened_at'],
] as const;

export async function receivedTimes(
  { connection, terms }: QueryContext,
  propertyId: string,
): Promise<ReceivedTimes> {
  const property = terms.find(propertyId);
  const times: ReceivedTimes = { session: null, exposure: null, goal: null, feedback: null };
  if (property === undefined) return times;
  const rows = await rowsOf<[keyof ReceivedTimes, bigint | null, bigint | null]>(
    connection,
    RECEIVED.map(
      ([kind, table, time]) =>
        `SELECT '${kind}', min(${time}), max(${time}) FROM ${table} WHERE property = ${property}`,
    ).join(' UNION ALL '),
  );
  for (const [kind, first, last] of rows) {
    if (first !== null && last !== null) times[kind] = { first: Number(first), last: Number(last) };
  }
  return times;
}
