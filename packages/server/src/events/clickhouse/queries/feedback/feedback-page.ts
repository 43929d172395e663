import type { FeedbackEntry, FeedbackPageQuery, FeedbackTime } from '../../../store/event-store.ts';
import type { Page } from '../../../store/page.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { botsAmong } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { identitiesOf } from '../sessions/find-identities.ts';
import { jsonBytes, withinBytes } from '../sessions/within-bytes.ts';
import { feedbackCondition } from './feedback-filter.ts';

export type EntryRow = [
  id: string,
  feedbackTypeId: string,
  sessionId: string | null,
  option: string | null,
  message: string | null,
  metadata: string | null,
  at: string,
];
type PageRow = [...EntryRow, available: string];

export const FEEDBACK_COLUMNS = 'feedback_id, feedback_type, session, option, message, metadata, happened_at';
export const FEEDBACK_SELECTED = `feedback_id, feedback_type, if(has_session, session_id, NULL) AS session, option, message, metadata,
  happened_at, ${jsonBytes(['session_id', 'option', 'message'], ['metadata'])} AS bytes`;

const ORDER = 'happened_at DESC, feedback_id DESC';

/** Newest first; each page starts strictly after the cursor. */
export async function feedbackPage(
  context: QueryContext,
  query: FeedbackPageQuery,
): Promise<Page<FeedbackEntry>> {
  const { clickhouse } = context;
  const values = new SqlValues();
  const conditions = [feedbackCondition(clickhouse.tables, query, values)];
  if (query.after) {
    const { at, id } = query.after;
    conditions.push(`(happened_at, feedback_id) < (${values.integer(at)}, ${values.text(id)})`);
  }
  const rows = await clickhouse.rows<PageRow>(
    withinBytes(
      FEEDBACK_COLUMNS,
      `SELECT ${FEEDBACK_SELECTED} FROM ${clickhouse.tables.of('feedback')} WHERE ${conditions.join(' AND ')}
       ORDER BY ${ORDER} LIMIT ${values.integer(query.limit + 1)}`,
      ORDER,
    ),
    values.parameters,
  );
  const shown = rows.slice(0, query.limit);
  const entries = await entriesOf(context, query.propertyId, shown);
  const last = entries.at(-1);
  const hasMore = last !== undefined && Number(shown[0]![7]) > shown.length;
  return { rows: entries, next: hasMore ? { at: last.createdAt, id: last.id } : undefined };
}

export async function entriesOf(
  context: QueryContext,
  propertyId: string,
  rows: readonly (readonly [...EntryRow, ...unknown[]])[],
): Promise<FeedbackEntry[]> {
  const sessionIds = rows.map((row) => row[2]);
  const [identities, bots] = await Promise.all([
    identitiesOf(context, propertyId, sessionIds),
    botsAmong(context, propertyId, sessionIds),
  ]);
  return rows.map(([id, feedbackTypeId, sessionId, option, message, metadata, at]) => ({
    id,
    feedbackTypeId,
    sessionId,
    ...((sessionId === null ? undefined : identities.get(sessionId)) ?? { visitorId: null, userId: null }),
    option,
    message,
    metadata,
    createdAt: Number(at),
    bot: sessionId !== null && bots.has(sessionId),
  }));
}

export async function feedbackTimes(
  { clickhouse }: QueryContext,
  propertyId: string,
  ids: readonly string[],
): Promise<FeedbackTime[]> {
  if (ids.length === 0) return [];
  const values = new SqlValues();
  const property = values.text(propertyId);
  const rows = await clickhouse.rows<[id: string, at: string]>(
    `SELECT feedback_id, happened_at FROM ${clickhouse.tables.of('feedback')}
     WHERE property = ${property} AND feedback_id IN ${values.texts(ids)}
       AND ${countsOnce(clickhouse.tables, property)}`,
    values.parameters,
  );
  return rows.map(([id, at]) => ({ id, createdAt: Number(at) }));
}
