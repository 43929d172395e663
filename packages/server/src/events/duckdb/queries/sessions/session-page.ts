import type { SessionPageQuery } from '../../../store/event-store.ts';
import type { Page } from '../../../store/page.ts';
import type { SessionSummary } from '../../../store/session-summary.ts';
import { withinPage } from '../../../store/within-page.ts';
import { rowsOf, SqlValues } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import {
  type ListedSession,
  listMoved,
  movedSince,
  newestFirst,
  withoutMoved,
} from '../split-tests/moved-sessions.ts';
import { filterOf, type SessionFilter } from './session-filter.ts';
import { summariesOf } from './session-summaries.ts';

const FIRST_WINDOW_MS = 1000;
const WINDOW_GROWTH = 8;
/** The time span of the last full page of a property, doubled; the next search starts with it. */
export type PageWindows = Map<string, number>;

/** Newest first; each page starts strictly after the cursor. */
export async function sessionPage(
  context: QueryContext,
  query: SessionPageQuery,
  windows: PageWindows,
): Promise<Page<SessionSummary>> {
  const property = context.terms.find(query.propertyId);
  const filter = filterOf(context, query);
  if (property === undefined || filter === undefined || query.limit < 1) return { rows: [], next: undefined };
  // One extra row, to detect whether there is a next page.
  const listed = await listWithMoved(
    context,
    { ...query, property, limit: query.limit + 1 },
    filter,
    windows,
  );
  const sessions = listed.slice(0, query.limit);
  const summaries = await summariesOf(context, property, sessions, query.ownHosts);
  const rows = withinPage(
    summaries.map((summary, i) => ({ ...summary, startedAt: (sessions[i] as ListedSession).listedAt })),
  );
  const last = rows.at(-1);
  const hasMore = last !== undefined && rows.length < listed.length;
  return { rows, next: hasMore ? { at: last.startedAt, id: last.sessionId } : undefined };
}

async function listWithMoved(
  context: QueryContext,
  query: SessionPageQuery & { property: number },
  filter: SessionFilter,
  windows: PageWindows,
): Promise<ListedSession[]> {
  const moved = await movedSince(context, query.property, query.asOf);
  if (moved.size === 0) return listSessions(context, query, filter, windows);
  const unmoved = await listSessions(context, query, withoutMoved(filter, moved), windows);
  const listed = [...unmoved, ...(await listMoved(context, query, filter, moved))];
  return listed.sort(newestFirst).slice(0, query.limit);
}

/**
 * Searches back from the newest session in growing time windows until the page is full. A plain top-N query would read
 * all stored sessions; a window reads only a block or two.
 */
async function listSessions(
  context: QueryContext,
  query: SessionPageQuery & { property: number },
  filter: SessionFilter,
  windows: PageWindows,
): Promise<ListedSession[]> {
  const span = context.registry.spanOf(query.property);
  if (!span) return [];
  const floor = Math.max(query.from ?? span.oldest, span.oldest);
  const ceiling = ceilingOf(query);
  // Sessions with future dates must not widen the window.
  const last = Math.min(ceiling, span.newest, Date.now());
  let width = windows.get(query.propertyId) ?? FIRST_WINDOW_MS;
  for (;;) {
    const since = filter.isRare ? floor : Math.max(Math.round(last - width), floor);
    const sessions = await windowOf(context, query, filter, since, ceiling);
    const isFull = sessions.length === query.limit;
    if (isFull && !filter.isRare) {
      windows.set(query.propertyId, Math.max(2 * (last - sessions.at(-1)!.startedAt), FIRST_WINDOW_MS));
    }
    if (isFull || since === floor) return sessions;
    width *= sessions.length > 0 ? WINDOW_GROWTH : WINDOW_GROWTH ** 2;
  }
}

function ceilingOf({ to, after }: SessionPageQuery): number {
  return Math.min(to === undefined ? Number.MAX_SAFE_INTEGER : to - 1, after?.at ?? Number.MAX_SAFE_INTEGER);
}

async function windowOf(
  { connection }: QueryContext,
  query: SessionPageQuery & { property: number },
  filter: SessionFilter,
  since: number,
  until: number,
): Promise<ListedSession[]> {
  const values = new SqlValues();
  const conditions = [
    `property = ${values.add(query.property)}`,
    `started_at >= ${values.add(since)}`,
    `started_at <= ${values.add(until)}`,
  ];
  if (query.after) {
    const { at, id } = query.after;
    conditions.push(`(started_at < ${values.add(at)} OR session_id < ${values.add(id)})`);
  }
  for (const condition of filter.conditions) conditions.push(condition(values, query.property, since));
  const rows = await rowsOf<[bigint, string, bigint]>(
    connection,
    `SELECT session_key, session_id, started_at FROM sessions WHERE ${conditions.join(' AND ')}
     ORDER BY started_at DESC, session_id DESC LIMIT ${values.add(query.limit)}`,
    values.list,
  );
  return rows.map(([key, sessionId, start]) => {
    const startedAt = Number(start);
    return { key, sessionId, startedAt, listedAt: startedAt };
  });
}
