import type { KnownSessionQuery, SessionKnowledge } from '../../../store/session-context-queries.ts';
import { keyList, rowsOf, SqlValues } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { valuesOf } from './session-contexts.ts';
import { earliestStart } from './session-summaries.ts';
import { entryOf, type VisitValues, visitSql } from './session-visits.ts';

type KnownRow = [
  key: bigint,
  visitorId: string,
  userId: string | null,
  country: number,
  device: number,
  browser: number,
  os: number,
  attributes: string | null,
  visit: string,
];

/** The caller holds a snapshot. */
export async function knownSessions(
  context: QueryContext,
  { propertyId, sessionIds, attributes, visit }: KnownSessionQuery,
): Promise<SessionKnowledge[]> {
  const { connection, terms, registry, sources } = context;
  const property = terms.find(propertyId);
  if (property === undefined) return [];
  const ids = await idsByKey(context, propertyId, sessionIds);
  if (ids.size === 0) return [];
  const values = new SqlValues();
  const order = sources.collectOrder;
  const wanted = keyList(values.add([...ids.keys()].join(',')));
  const since = values.add(earliestStart(registry, [...ids.keys()]));
  const { tables, joins, columns } = visitSql(context, { property, table: 'chosen', since }, visit);
  const starts = visit?.length
    ? ` JOIN (SELECT session_key, started_at FROM sessions WHERE session_key IN ${wanted}) USING (session_key)`
    : '';
  const rows = await rowsOf<KnownRow>(
    connection,
    `WITH latest AS (
       SELECT session_key, arg_max(visitor_key, ${order}) AS visitor_key,
              arg_max(visitor_id, ${order}) AS visitor_id, arg_max(user_id, ${order}) AS user_id,
              arg_max(country, ${order}) AS country, arg_max(device, ${order}) AS device,
              arg_max(browser, ${order}) AS browser, arg_max(os, ${order}) AS os, arg_max(attributes, ${order}) AS attributes
       FROM collects
       WHERE property = ${property} AND session_key IN ${wanted} AND seen_until >= ${since}
       GROUP BY session_key),
     chosen AS (SELECT * FROM latest${starts})${tables}
     SELECT session_key, visitor_id, user_id, country, device, browser, os,
            CAST(to_json(${valuesOf(attributes, values)}) AS VARCHAR), CAST(json_array(${columns}) AS VARCHAR)
     FROM chosen${joins}`,
    values.list,
  );
  const none = JSON.stringify(attributes.map(() => null));
  return rows.map(([key, visitorId, userId, country, device, browser, os, found, visited]) => {
    const known = JSON.parse(visited) as VisitValues;
    const [startedAt, returning] = known;
    return {
      sessionId: ids.get(key)!,
      visitorId,
      userId,
      country: terms.textOf(country),
      device: terms.textOf(device),
      browser: terms.textOf(browser),
      os: terms.textOf(os),
      attributes: found === null || found === 'null' ? none : found,
      ...(startedAt !== null && { startedAt }),
      ...(returning !== null && { returning }),
      ...entryOf(known, visit),
    };
  });
}

/** Ids by key; without sessions that were never stored. */
async function idsByKey(
  { connection, keys, registry }: QueryContext,
  propertyId: string,
  sessionIds: readonly string[],
): Promise<Map<bigint, string>> {
  const ids = new Map<bigint, string>();
  const uncached = new Map<bigint, string>();
  for (const id of sessionIds) {
    const hash = keys.sessionHash(propertyId, id);
    const key = registry.keyOf(hash);
    if (key !== undefined) ids.set(key, id);
    else if (registry.knows(hash)) uncached.set(hash.value, id);
  }
  if (uncached.size === 0) return ids;
  const rows = await rowsOf<[bigint, bigint]>(
    connection,
    `SELECT session_hash, session_key FROM sessions WHERE session_hash IN ${keyList('$1')}`,
    [[...uncached.keys()].join(',')],
  );
  for (const [hash, key] of rows) ids.set(key, uncached.get(hash) as string);
  return ids;
}
