import type { DuckDBConnection } from '@duckdb/node-api';
import { isUnitSession } from '../../../store/accepted-request.ts';
import type { SessionDetail, SessionQuery } from '../../../store/event-store.ts';
import type { SessionIdentity } from '../../../store/session-summary.ts';
import { rowsOf } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { type StoredSession, summariesOf } from './session-summaries.ts';
import { timelinePage } from './session-timeline.ts';

const OF_SESSION = 'property = $1 AND session_key = $2';

/** A session with a page of its timeline. The caller holds a snapshot. */
export async function sessionDetail(
  context: QueryContext,
  query: SessionQuery,
): Promise<SessionDetail | undefined> {
  const { connection, terms, sources } = context;
  const property = terms.find(query.propertyId);
  const listed = property === undefined ? undefined : await findSession(context, property, query);
  if (property === undefined || listed === undefined) return undefined;
  const [summary] = await summariesOf(context, property, [listed], query.ownHosts);
  const attributes = await rowsOf<[string | null]>(
    connection,
    `SELECT arg_max(attributes, ${sources.collectOrder}) FROM collects WHERE ${OF_SESSION} AND seen_until >= $3`,
    [property, listed.key, listed.startedAt],
  );
  return {
    ...(summary as NonNullable<typeof summary>),
    attributes: attributes[0]?.[0] ?? null,
    timeline: await timelinePage(context, property, listed, query),
  };
}

/** Visitor and user of a session; undefined if the session was never stored. */
export async function sessionIdentity(
  context: QueryContext,
  propertyId: string,
  sessionId: string,
): Promise<SessionIdentity | undefined> {
  const { connection, terms, keys, registry, sources } = context;
  const property = terms.find(propertyId);
  if (property === undefined) return undefined;
  const cached = registry.keyOf(keys.sessionHash(propertyId, sessionId));
  const session =
    cached === undefined
      ? await findSession(context, property, { propertyId, sessionId })
      : { key: cached, startedAt: registry.startOf(cached) as number };
  if (session === undefined) return undefined;
  const order = sources.collectOrder;
  const [row] = await rowsOf<[string | null, string | null]>(
    connection,
    `SELECT arg_max(visitor_id, ${order}), arg_max(user_id, ${order})
     FROM collects WHERE ${OF_SESSION} AND seen_until >= $3`,
    [property, session.key, session.startedAt],
  );
  return { visitorId: row?.[0] ?? null, userId: row?.[1] ?? null };
}

async function findSession(
  { connection, keys, registry }: QueryContext,
  property: number,
  { propertyId, sessionId }: Pick<SessionQuery, 'propertyId' | 'sessionId'>,
): Promise<StoredSession | undefined> {
  const hash = keys.sessionHash(propertyId, sessionId);
  if (!registry.knows(hash)) return undefined;
  const [row] = await rowsOf<[bigint, string, bigint | null]>(
    connection,
    `SELECT session_key, session_id, started_at FROM sessions
     WHERE property = $1 AND session_hash = $2 AND session_id = $3`,
    [property, hash.value, sessionId],
  );
  if (!row) return undefined;
  const startedAt =
    row[2] ?? (isUnitSession(sessionId) ? await firstExposure(connection, property, row[0]) : null);
  // Without a start, nothing of it is stored but the collects of expired events.
  return startedAt === null ? undefined : { key: row[0], sessionId: row[1], startedAt: Number(startedAt) };
}

async function firstExposure(
  connection: DuckDBConnection,
  property: number,
  key: bigint,
): Promise<bigint | null> {
  const [row] = await rowsOf<[bigint | null]>(
    connection,
    `SELECT min(happened_at) FROM exposures WHERE ${OF_SESSION}`,
    [property, key],
  );
  return row?.[0] ?? null;
}
