import type { SessionDetail, SessionIdentity, SessionQuery } from '../../event-store.ts';
import { rowsOf } from '../sql.ts';
import type { QueryContext } from './query-context.ts';
import { earliestStart, summariesOf } from './session-summaries.ts';
import { timelinePage } from './session-timeline.ts';

const OF_SESSION = 'property = $1 AND session_key = $2';

/** A session with a page of its timeline. The caller holds a snapshot. */
export async function sessionDetail(
  context: QueryContext,
  query: SessionQuery,
): Promise<SessionDetail | undefined> {
  const { connection, terms, keys, registry, sources } = context;
  const { propertyId, sessionId } = query;
  const property = terms.find(propertyId);
  const key = keys.sessionKey(propertyId, sessionId);
  if (property === undefined || !registry.knows(key)) return undefined;
  const found = await rowsOf<[string, bigint]>(
    connection,
    `SELECT session_id, started_at FROM sessions WHERE ${OF_SESSION} AND session_id = $3`,
    [property, key.value, sessionId],
  );
  if (!found[0]) return undefined;
  const listed = { key: key.value, sessionId: found[0][0], startedAt: Number(found[0][1]) };
  const [summary] = await summariesOf(context, property, [listed]);
  const attributes = await rowsOf<[string | null]>(
    connection,
    `SELECT arg_max(attributes, ${sources.collectOrder}) FROM collects WHERE ${OF_SESSION} AND seen_until >= $3`,
    [property, key.value, listed.startedAt],
  );
  return {
    ...(summary as NonNullable<typeof summary>),
    attributes: attributes[0]?.[0] ?? null,
    timeline: await timelinePage(context, property, listed, query),
  };
}

/** Visitor and user of a session; undefined if the session was never stored. */
export async function sessionIdentity(
  { connection, terms, keys, registry, sources }: QueryContext,
  propertyId: string,
  sessionId: string,
): Promise<SessionIdentity | undefined> {
  const property = terms.find(propertyId);
  const key = keys.sessionKey(propertyId, sessionId);
  if (property === undefined || !registry.knows(key)) return undefined;
  const order = sources.collectOrder;
  const [row] = await rowsOf<[bigint, string | null, string | null]>(
    connection,
    `SELECT count(*), arg_max(visitor_id, ${order}), arg_max(user_id, ${order})
     FROM collects WHERE ${OF_SESSION} AND seen_until >= $3`,
    [property, key.value, earliestStart(registry, [key.value])],
  );
  if (row && row[0] > 0n) return { visitorId: row[1], userId: row[2] };
  const listed = await rowsOf<[number]>(
    connection,
    `SELECT 1 FROM sessions WHERE ${OF_SESSION} AND session_id = $3`,
    [property, key.value, sessionId],
  );
  return listed.length > 0 ? { visitorId: null, userId: null } : undefined;
}
