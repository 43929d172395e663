import type { SessionPageQuery } from '../../../store/event-store.ts';
import type { Page } from '../../../store/page.ts';
import type { SessionSummary } from '../../../store/session-summary.ts';
import { withinPage } from '../../../store/within-page.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { isAfter } from '../positions.ts';
import type { QueryContext } from '../query-context.ts';
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
    query.ownHosts,
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

/** The sessions of a page are looked for among this many of the latest rows per session, then among all. */
const ROWS_PER_SESSION = 50;

/**
 * The sessions of the page and one more, to detect whether there is a next page. Usually the latest rows are enough, so
 * that not all sessions have to be grouped and sorted.
 */
async function listSessions(context: QueryContext, query: SessionPageQuery): Promise<ListedSession[]> {
  const from = await startOfLatest(context, query);
  if (from !== undefined) {
    const listed = await listPeriod(context, { ...query, from });
    if (listed.length > query.limit) return listed;
  }
  return listPeriod(context, query);
}

/** The time of the earliest of the latest rows; undefined if there are not more. */
async function startOfLatest(
  { clickhouse }: QueryContext,
  query: SessionPageQuery,
): Promise<number | undefined> {
  const values = new SqlValues();
  const rows = ROWS_PER_SESSION * (query.limit + 1);
  const where = [`property = ${values.text(query.propertyId)}`, ...isInPeriod('happened_at', query, values)];
  const [row] = await clickhouse.rows<[earliest: string, count: string]>(
    `SELECT min(happened_at), count() FROM (
       SELECT happened_at FROM ${clickhouse.tables.of('session_starts')} WHERE ${where.join(' AND ')}
       ORDER BY happened_at DESC LIMIT ${values.integer(rows)})`,
    values.parameters,
  );
  const [earliest, count] = row!;
  return Number(count) < rows ? undefined : Number(earliest);
}

function listPeriod({ clickhouse }: QueryContext, query: SessionPageQuery): Promise<ListedSession[]> {
  const { propertyId, from, after, limit, asOf } = query;
  const values = new SqlValues();
  const property = `property = ${values.text(propertyId)}`;
  const start =
    asOf === undefined
      ? 'min(happened_at)'
      : // A session that is new since then is listed with its present start.
        `coalesce(minOrNullIf(happened_at, NOT (${isAfter(asOf, values)})), min(happened_at))`;
  const listed = ['true', ...isInPeriod('listed_at', query, values)];
  if (after) {
    listed.push(`(listed_at, session_id) < (${values.integer(after.at)}, ${values.text(after.id)})`);
  }
  const starts = clickhouse.tables.of('session_starts');
  // The start of a session is one of its rows.
  const rows = [property, ...isInPeriod('happened_at', query, values)].join(' AND ');
  const sessions =
    from === undefined
      ? property
      : `${property} AND session_id IN (SELECT session_id FROM ${starts} WHERE ${rows})`;
  const conditions = [sessions, ...sessionConditions(clickhouse.tables, sessions, query, values)];
  return clickhouse.rows<ListedSession>(
    `SELECT session_id, ${start} AS listed_at FROM ${starts}
     WHERE ${conditions.join(' AND ')} GROUP BY session_id HAVING ${listed.join(' AND ')}
     ORDER BY listed_at DESC, session_id DESC LIMIT ${values.integer(limit + 1)}`,
    values.parameters,
  );
}

/** Conditions on the time of a row or of a start, for a page. */
function isInPeriod(time: string, { from, to, after }: SessionPageQuery, values: SqlValues): string[] {
  return [
    ...(from === undefined ? [] : [`${time} >= ${values.integer(from)}`]),
    ...(to === undefined ? [] : [`${time} < ${values.integer(to)}`]),
    ...(after === undefined ? [] : [`${time} <= ${values.integer(after.at)}`]),
  ];
}
