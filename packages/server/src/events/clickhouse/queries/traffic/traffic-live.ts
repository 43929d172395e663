import type { LiveQuery, LiveVisitors, ReceivedTimes } from '../../../store/traffic-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { botSessions } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { ARRIVAL, orderKey } from '../sessions/latest-identity.ts';
import { pageOf } from './traffic-values.ts';

type LiveRow = [kind: 'total' | 'page' | 'country', value: string, visitors: string];

/** Visitors who were active recently. */
export async function liveVisitors(
  { clickhouse, signal }: QueryContext,
  { propertyId, since, limit }: LiveQuery,
): Promise<LiveVisitors> {
  const { tables } = clickhouse;
  const values = new SqlValues();
  const property = `property = ${values.text(propertyId)}`;
  const received = `${property} AND received_at >= ${values.integer(since)}`;
  const active = `session_id IN (
      SELECT session_id FROM ${tables.of('collects')} WHERE ${received}
      UNION ALL SELECT session_id FROM ${tables.of('exposures')} WHERE ${received})
    AND session_id NOT IN (${botSessions(tables, property)})`;
  const rows = await clickhouse.rows<LiveRow>(
    `SELECT kind, value, count() AS visitors FROM (
       SELECT unit, ${pageOf('argMax(url, viewed)')} AS page, argMax(country, located) AS country FROM (
         SELECT session_id, argMax(visitor, collected) AS visitor_id,
           if(visitor_id = '', concat('s', session_id), concat('v', visitor_id)) AS unit,
           argMax(session_url, seen) AS url, max(seen) AS viewed,
           argMax(session_country, collected) AS country, max(collected) AS located
         FROM (${activity(tables, property, active)}) GROUP BY session_id)
       GROUP BY unit)
     ARRAY JOIN [('total', ''), ('page', page), ('country', country)] AS counted
     GROUP BY counted.1 AS kind, counted.2 AS value
     ORDER BY kind, visitors DESC, value = '', value LIMIT ${limit} BY kind`,
    values.parameters,
    signal,
  );
  const counts = (kind: LiveRow[0]) =>
    rows
      .filter((row) => row[0] === kind)
      .map(([, value, visitors]) => ({ value: value === '' ? null : value, visitors: Number(visitors) }));
  return { visitors: counts('total')[0]?.visitors ?? 0, pages: counts('page'), countries: counts('country') };
}

/** Page views, exposures and collects of the sessions; columns that a table does not have are empty. */
function activity(tables: TableNames, property: string, active: string): string {
  const never = '-1';
  return `SELECT session_id, ifNull(url, '') AS session_url, ${orderKey('happened_at', 'ordinal')} AS seen,
      '' AS visitor, '' AS session_country, ${never} AS collected
    FROM ${tables.of('session_events')} WHERE ${property} AND type = 'pageview' AND ${active}
    UNION ALL SELECT session_id, '', ${never}, '', '', ${never}
    FROM ${tables.of('exposures')} WHERE ${property} AND ${active}
    UNION ALL SELECT session_id, '', ${never}, visitor_id, toString(country), ${ARRIVAL}
    FROM ${tables.of('collects')} WHERE ${property} AND ${active}`;
}

export async function receivedTimes(
  { clickhouse, signal }: QueryContext,
  propertyId: string,
): Promise<ReceivedTimes> {
  const values = new SqlValues();
  const property = values.text(propertyId);
  const once = countsOnce(clickhouse.tables, property);
  const received = [
    ['session', 'collects', 'true'],
    ['exposure', 'exposures', 'true'],
    ['goal', 'conversions', once],
    ['feedback', 'feedback', once],
  ] as const;
  const times: ReceivedTimes = { session: null, exposure: null, goal: null, feedback: null };
  const rows = await clickhouse.rows<[keyof ReceivedTimes, string, string, string]>(
    received
      .map(
        ([kind, table, condition]) =>
          `SELECT '${kind}', min(received_at), max(received_at), count() FROM ${clickhouse.tables.of(table)}
         WHERE property = ${property} AND ${condition}`,
      )
      .join(' UNION ALL '),
    values.parameters,
    signal,
  );
  for (const [kind, first, last, count] of rows) {
    if (Number(count) > 0) times[kind] = { first: Number(first), last: Number(last) };
  }
  return times;
}
