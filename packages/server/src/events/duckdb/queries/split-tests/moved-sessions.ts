import type { Positions, SessionPageQuery } from '../../../store/event-store.ts';
import { keyList, rowsOf, SqlValues } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import type { SessionFilter } from '../sessions/session-filter.ts';
import type { StoredSession } from '../sessions/session-summaries.ts';
import { storedPositions } from '../source-queries.ts';

export interface ListedSession extends StoredSession {
  /** Position in the list: its start when the first page was read. */
  listedAt: number;
}

/** Sessions whose start moved back since the first page was read, with their former start. */
export async function movedSince(
  { connection, registry }: QueryContext,
  property: number,
  asOf: Positions | undefined,
): Promise<ReadonlyMap<bigint, number>> {
  if (asOf === undefined || registry.movesBetween(property, asOf).size === 0) return new Map();
  // Ignore batches stored after this snapshot was taken.
  return registry.movesBetween(property, asOf, await storedPositions(connection));
}

/** The moved sessions that belong on this page or a later one. */
export async function listMoved(
  { connection }: QueryContext,
  query: SessionPageQuery & { property: number },
  filter: SessionFilter,
  moved: ReadonlyMap<bigint, number>,
): Promise<ListedSession[]> {
  const values = new SqlValues();
  const conditions = [
    `property = ${values.add(query.property)}`,
    `session_key IN ${keyList(values.add([...moved.keys()].join(',')))}`,
    ...filter.conditions.map((condition) => condition(values, query.property, 0)),
  ];
  const rows = await rowsOf<[bigint, string, bigint]>(
    connection,
    `SELECT session_key, session_id, started_at FROM sessions WHERE ${conditions.join(' AND ')}`,
    values.list,
  );
  return rows
    .map(([key, sessionId, startedAt]) => ({
      key,
      sessionId,
      startedAt: Number(startedAt),
      listedAt: moved.get(key) as number,
    }))
    .filter((session) => isWithin(session, query));
}

/** Excludes the moved sessions, which are listed separately. */
export function withoutMoved(filter: SessionFilter, moved: ReadonlyMap<bigint, number>): SessionFilter {
  const keys = [...moved.keys()].join(',');
  const condition = (values: SqlValues) => `session_key NOT IN ${keyList(values.add(keys))}`;
  return { ...filter, conditions: [...filter.conditions, condition] };
}

function isWithin(session: ListedSession, { from, to, after }: SessionPageQuery): boolean {
  const { listedAt } = session;
  if ((from !== undefined && listedAt < from) || (to !== undefined && listedAt >= to)) return false;
  return after === undefined || newestFirst(session, { listedAt: after.at, sessionId: after.id }) > 0;
}

/** The order of the list; ids are compared by bytes, as in the store. */
export function newestFirst(
  a: Pick<ListedSession, 'listedAt' | 'sessionId'>,
  b: Pick<ListedSession, 'listedAt' | 'sessionId'>,
): number {
  return b.listedAt - a.listedAt || Buffer.compare(Buffer.from(b.sessionId), Buffer.from(a.sessionId));
}
