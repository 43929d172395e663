import { BOT_DEVICE } from '../../../store/accepted-request.ts';
import type { SessionContextQuery, SessionContexts } from '../../../store/session-context-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { QueryContext } from '../query-context.ts';
import { SESSION_KEY } from '../units.ts';
import { attributesOf, type Client, clientOf, latestCollects } from './known-sessions.ts';
import { type VisitValues, visitOf, visitSql } from './session-visits.ts';
import { startedSessions } from './started-sessions.ts';

type ContextRow = [
  hash: number,
  sessionId: string,
  visitorId: string,
  userId: string | null,
  client: Client,
  found: string[],
  ...visit: VisitValues,
];

const MAX_HASH = 2 ** 32;

/** The sessions of a period with what is known of them, in the order of a hash of their visitors. */
export async function sessionContexts(
  { clickhouse, signal }: QueryContext,
  query: SessionContextQuery,
): Promise<SessionContexts> {
  const { tables } = clickhouse;
  const values = new SqlValues();
  const propertyId = values.text(query.propertyId);
  const property = `property = ${propertyId}`;
  const [from, to] = [values.integer(query.from), values.integer(query.to)];
  const started = `SELECT session FROM (${startedSessions(tables, { property: propertyId, from, to })})`;
  const [count] = await clickhouse.rows<[string]>(
    `SELECT count() FROM (${started})`,
    values.parameters,
    signal,
  );
  const parts = partsOf(Number(count?.[0] ?? 0), query.maxSessions);
  const where = `${property} AND happened_at >= ${from} AND ${SESSION_KEY} IN (${started})`;
  const names = values.texts(query.attributes);
  const visit = visitSql(tables, { property, starts: where, collects: where }, query.visit);
  const rows = await clickhouse.rows<ContextRow>(
    `SELECT toUInt32(bitShiftRight(hash, 32)), session_id, visitor, user, client, found${visit.columns}
     FROM (SELECT *, sipHash64(visitor) AS hash FROM (${latestCollects(tables, where, names)})) AS latest${visit.joins}
     WHERE client.2 != '${BOT_DEVICE}' AND hash % ${parts} = 0 ORDER BY hash, session_id`,
    values.parameters,
    signal,
  );
  return columnsOf(rows, parts, query);
}

/** The visitors are read in one of this many equal parts; a power of two. */
function partsOf(sessions: number, maxSessions: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(sessions / maxSessions)));
}

/** With each context once: it is much smaller to send to another thread. Ends after a visitor, if there is too much text. */
function columnsOf(
  rows: readonly ContextRow[],
  parts: number,
  { maxCharacters, visit = [] }: SessionContextQuery,
): SessionContexts {
  const columns = {
    sessionIds: [] as string[],
    visitorIds: [] as string[],
    userIds: [] as (string | null)[],
    ...(visit.includes('start') && { startedAt: [] as number[] }),
    ...(visit.includes('returning') && { returning: [] as boolean[] }),
  };
  const indexes: number[] = [];
  const contexts: SessionContexts['contexts'] = [];
  const known = new Map<string, number>();
  const finish = (share: number) => ({
    share,
    ...columns,
    contextIndexes: Uint32Array.from(indexes),
    contexts,
  });
  let characters = 0;
  for (const [hash, sessionId, visitorId, userId, client, found, ...visited] of rows) {
    // Hashes are spread evenly, so those below one are this share of all.
    if (characters > maxCharacters && visitorId !== columns.visitorIds.at(-1))
      return finish(hash / MAX_HASH / parts);
    const attributes = attributesOf(found);
    const { startedAt, returning, entry } = visitOf(visited, visit);
    const key = JSON.stringify([client, attributes, entry]);
    let index = known.get(key);
    if (index === undefined) {
      index = contexts.push({ attributes, ...clientOf(client), ...entry }) - 1;
      known.set(key, index);
      characters += key.length;
    }
    columns.sessionIds.push(sessionId);
    columns.visitorIds.push(visitorId);
    columns.userIds.push(userId);
    if (startedAt !== undefined) columns.startedAt?.push(startedAt);
    if (returning !== undefined) columns.returning?.push(returning);
    indexes.push(index);
    characters += sessionId.length + visitorId.length + (userId?.length ?? 0);
  }
  return finish(1 / parts);
}
