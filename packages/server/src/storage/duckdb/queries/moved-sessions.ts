import type { SessionPageQuery } from '../../event-store.ts';
import { keyList, rowsOf, SqlValues } from '../sql.ts';
import type { QueryContext } from './query-context.ts';
import type { SessionFilter } from './session-filter.ts';
import type { StoredSession } from './session-summaries.ts';

export interface ListedSession extends StoredSession {
  /** Where it stands in the list: its start when the list was begun. */
  listedAt: number;
}

/** Sessions that turned out to be older since the list was begun, with the start they had then. */
export async function movedSince(
  { connection, registry }: QueryContext,
  property: number,
  asOf: number | undefined,
): Promise<ReadonlyMap<bigint, number>> {
  if (asOf === undefined || registry.movesBetween(property, asOf, Number.MAX_SAFE_INTEGER).size === 0) {
    return new Map();
  }
  // Batches that were stored after this snapshot was taken are none of its business.
  const rows = await rowsOf<[bigint]>(connection, 'SELECT watermark FROM store_state');
  return registry.movesBetween(property, asOf, Number((rows[0] as [bigint])[0]));
}

/** Those of them that belong on the page or behind it. */
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

/** Conditions that keep the moved ones out of what is read by its start. */
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

/** The order of the list; ids go by their bytes, as in the store. */
export function newestFirst(
  a: Pick<ListedSession, 'listedAt' | 'sessionId'>,
  b: Pick<ListedSession, 'listedAt' | 'sessionId'>,
): number {
  return b.listedAt - a.listedAt || Buffer.compare(Buffer.from(b.sessionId), Buffer.from(a.sessionId));
}
