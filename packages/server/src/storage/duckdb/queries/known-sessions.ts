import type { KnownSessionQuery, SessionKnowledge } from '../../session-context-queries.ts';
import { keyList, rowsOf, SqlValues } from '../sql.ts';
import type { QueryContext } from './query-context.ts';
import { valuesOf } from './session-contexts.ts';
import { earliestStart } from './session-summaries.ts';

type KnownRow = [
  key: bigint,
  visitorId: string,
  userId: string | null,
  country: number,
  device: number,
  browser: number,
  os: number,
  attributes: string | null,
];

/** The caller holds a snapshot. */
export async function knownSessions(
  { connection, terms, keys, registry, sources }: QueryContext,
  { propertyId, sessionIds, attributes }: KnownSessionQuery,
): Promise<SessionKnowledge[]> {
  const property = terms.find(propertyId);
  const ids = new Map(sessionIds.map((id) => [keys.sessionKey(propertyId, id).value, id]));
  if (property === undefined || ids.size === 0) return [];
  const values = new SqlValues();
  const order = sources.collectOrder;
  const wanted = keyList(values.add([...ids.keys()].join(',')));
  const rows = await rowsOf<KnownRow>(
    connection,
    `WITH latest AS (
       SELECT session_key, arg_max(visitor_id, ${order}) AS visitor_id, arg_max(user_id, ${order}) AS user_id,
              arg_max(country, ${order}) AS country, arg_max(device, ${order}) AS device,
              arg_max(browser, ${order}) AS browser, arg_max(os, ${order}) AS os, arg_max(attributes, ${order}) AS attributes
       FROM collects
       WHERE property = ${property} AND session_key IN ${wanted}
         AND seen_until >= ${values.add(earliestStart(registry, [...ids.keys()]))}
       GROUP BY session_key)
     SELECT session_key, visitor_id, user_id, country, device, browser, os,
            CAST(to_json(${valuesOf(attributes, values)}) AS VARCHAR)
     FROM latest`,
    values.list,
  );
  const none = JSON.stringify(attributes.map(() => null));
  return rows.map(([key, visitorId, userId, country, device, browser, os, found]) => ({
    ...{ sessionId: ids.get(key)!, visitorId, userId },
    ...{ country: terms.textOf(country), device: terms.textOf(device) },
    ...{ browser: terms.textOf(browser), os: terms.textOf(os) },
    attributes: found === null || found === 'null' ? none : found,
  }));
}
