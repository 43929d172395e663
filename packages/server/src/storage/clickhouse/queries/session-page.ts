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

/** The sessions of the page and one more, to detect whether there is a next page. */
function listSessions({ clickhouse }: QueryContext, query: SessionPageQuery): Promise<ListedSession[]> {
  const { propertyId, from, to, after, limit, asOf } = query;
  const values = new SqlValues();
  const property = values.text(propertyId);
  const start =
    asOf === undefined
      ? 'min(happened_at)'
      : // A session that is new since then is listed with its present start.
        `coalesce(minOrNullIf(happened_at, NOT (${isAfter(asOf, values)})), min(happened_at))`;
  const having = ['true'];
  if (from !== undefined) having.push(`listed_at >= ${values.integer(from)}`);
  if (to !== undefined) having.push(`listed_at < ${values.integer(to)}`);
  if (after) {
    having.push(`(listed_at, session_id) < (${values.integer(after.at)}, ${values.text(after.id)})`);
  }
  const conditions = [
    `property = ${property}`,
    ...sessionConditions(clickhouse.tables, property, query, values),
  ];
  return clickhouse.rows<ListedSession>(
    `SELECT session_id, ${start} AS listed_at FROM ${clickhouse.tables.of('session_starts')}
     WHERE ${conditions.join(' AND ')} GROUP BY session_id HAVING ${having.join(' AND ')}
     ORDER BY listed_at DESC, session_id DESC LIMIT ${values.integer(limit + 1)}`,
    values.parameters,
  );
}
