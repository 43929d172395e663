import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import type { Page, SessionPageQuery, SessionSummary } from '../../event-store.ts';
import { withinPage } from '../../within-page.ts';
import { SqlValues } from '../client/sql-values.ts';
import { isAfter } from './positions.ts';
import type { QueryContext } from './query-context.ts';
import { sessionConditions } from './session-filter.ts';
import { summariesOf } from './session-summaries.ts';

/** Newest first; each page starts strictly after the cursor. */
export async function sessionPage(
  context: QueryContext,
  query: SessionPageQuery,
): Promise<Page<SessionSummary>> {
  if (query.limit < 1) return { rows: [], next: undefined };
  const listed = await listSessions(context, query);
  const shown = listed.slice(0, query.limit);
  const summaries = await summariesOf(
    context,
    query.propertyId,
    shown.map(([sessionId]) => sessionId),
  );
  const found = shown.flatMap(([sessionId, listedAt]) => {
    const summary = summaries.get(sessionId);
    if (summary === undefined) return [];
    const { attributes: _, ...rest } = summary;
    return [{ ...rest, startedAt: Number(listedAt) }];
  });
  const rows = withinPage(found);
  const last = rows.at(-1);
  const hasMore = last !== undefined && (rows.length < found.length || shown.length < listed.length);
  return { rows, next: hasMore ? { at: last.startedAt, id: last.sessionId } : undefined };
}

type ListedSession = [sessionId: string, listedAt: string];

/** How far back the sessions of a page are looked for; then among all of them. */
const WINDOWS_MS = [HOUR_MS, 12 * HOUR_MS, 6 * DAY_MS];

/**
 * The sessions of the page and one more, to detect whether there is a next page. Usually the latest ones are enough, and
 * need not be sorted among all sessions.
 */
async function listSessions(context: QueryContext, query: SessionPageQuery): Promise<ListedSession[]> {
  const { from = Number.NEGATIVE_INFINITY, to, after, limit } = query;
  const end = after?.at ?? to ?? Date.now();
  for (const window of WINDOWS_MS) {
    if (end - window <= from) break;
    const listed = await listPeriod(context, { ...query, from: end - window });
    if (listed.length > limit) return listed;
  }
  return listPeriod(context, query);
}

function listPeriod({ clickhouse }: QueryContext, query: SessionPageQuery): Promise<ListedSession[]> {
  const { propertyId, from, to, after, limit, asOf } = query;
  const values = new SqlValues();
  const property = values.text(propertyId);
  const start =
    asOf === undefined
      ? 'min(happened_at)'
      : // A session that is new since then is listed with its present start.
        `coalesce(minOrNullIf(happened_at, NOT (${isAfter(asOf, values)})), min(happened_at))`;
  const period = (time: string) => [
    'true',
    ...(from === undefined ? [] : [`${time} >= ${values.integer(from)}`]),
    ...(to === undefined ? [] : [`${time} < ${values.integer(to)}`]),
    ...(after === undefined ? [] : [`${time} <= ${values.integer(after.at)}`]),
  ];
  const listed = [
    ...period('listed_at'),
    ...(after ? [`(listed_at, session_id) < (${values.integer(after.at)}, ${values.text(after.id)})`] : []),
  ];
  const starts = clickhouse.tables.of('session_starts');
  const ofProperty = `property = ${property}`;
  // The start of a session is one of its rows.
  const inPeriod = `${ofProperty} AND session_id IN (
    SELECT session_id FROM ${starts} WHERE ${[ofProperty, ...period('happened_at')].join(' AND ')})`;
  const scope = from === undefined ? ofProperty : inPeriod;
  const conditions = [scope, ...sessionConditions(clickhouse.tables, scope, query, values)];
  return clickhouse.rows<ListedSession>(
    `SELECT session_id, ${start} AS listed_at FROM ${starts}
     WHERE ${conditions.join(' AND ')} GROUP BY session_id HAVING ${listed.join(' AND ')}
     ORDER BY listed_at DESC, session_id DESC LIMIT ${values.integer(limit + 1)}`,
    values.parameters,
  );
}
