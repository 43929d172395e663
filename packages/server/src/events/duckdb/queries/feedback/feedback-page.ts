import type {
  FeedbackEntry,
  FeedbackPageQuery,
  FeedbackTime,
  NewFeedback,
  NewFeedbackQuery,
  Positions,
} from '../../../store/event-store.ts';
import { PAGE_BYTES, type Page } from '../../../store/page.ts';
import { jsonBytes, rowsOf, SqlValues, textList, withinBytes } from '../../connection/sql.ts';
import { botsAmong } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { earliestStart, identitiesOf } from '../sessions/session-summaries.ts';
import { storedPositions } from '../source-queries.ts';
import { feedbackCondition } from './feedback-filter.ts';

type EntryRow = [
  id: string,
  type: number,
  key: bigint | null,
  sessionId: string | null,
  option: string | null,
  message: string | null,
  metadata: string | null,
  at: bigint,
];
type PageRow = [...EntryRow, available: bigint];
type ArrivedRow = [...EntryRow, source: number, seq: bigint, position: bigint, available: bigint];

const COLUMNS = 'feedback_id, feedback_type, session_key, session_id, option, message, metadata, happened_at';

const ORDER = 'happened_at DESC, feedback_id DESC';
const BYTES = jsonBytes(['session_id', 'option', 'message'], ['metadata']);

/** Newest first; each page starts strictly after the cursor. The caller holds a snapshot. */
export async function feedbackPage(
  context: QueryContext,
  query: FeedbackPageQuery,
): Promise<Page<FeedbackEntry>> {
  const { connection, terms } = context;
  const property = terms.find(query.propertyId);
  const values = new SqlValues();
  const matches = feedbackCondition(context, query, values);
  if (property === undefined || matches === undefined) return { rows: [], next: undefined };
  const rows = await rowsOf<PageRow>(
    connection,
    withinBytes(
      `SELECT ${COLUMNS}, ${BYTES} AS bytes
       FROM feedback WHERE ${matches} AND ${after(query, values)} ORDER BY ${ORDER} LIMIT ${values.add(query.limit + 1)}`,
      ORDER,
      PAGE_BYTES,
    ),
    values.list,
  );
  const available = Number(rows[0]?.[8] ?? 0);
  const shown = rows.slice(0, query.limit);
  const entries = await entriesOf(context, property, shown);
  const last = entries.at(-1);
  return {
    rows: entries,
    next: last && available > shown.length ? { at: last.createdAt, id: last.id } : undefined,
  };
}

function after({ after }: FeedbackPageQuery, values: SqlValues): string {
  if (!after) return 'true';
  const [at, id] = [values.add(after.at), values.add(after.id)];
  return `happened_at <= ${at} AND (happened_at < ${at} OR feedback_id < ${id})`;
}

/** The caller holds a snapshot. */
export async function newFeedback(
  context: QueryContext,
  { propertyId, after, from = 0, limit }: NewFeedbackQuery,
): Promise<NewFeedback> {
  const { connection, sources } = context;
  const stored = await storedPositions(connection);
  const end = { ...after, ...stored };
  const property = context.terms.find(propertyId);
  if (property === undefined) return { entries: [], next: end };
  const isNew = sources.all.map(({ id, name }) => `(source = ${id} AND seq > ${after[name] ?? 0})`);
  const rows = await rowsOf<ArrivedRow>(
    connection,
    withinBytes(
      `SELECT ${COLUMNS}, source, seq, ${sources.tieBreakNumber} AS position, ${BYTES} AS bytes
       FROM feedback WHERE property = $1 AND happened_at >= $2 AND (${isNew.join(' OR ')})
       ORDER BY position LIMIT $3`,
      'position',
      PAGE_BYTES,
    ),
    // One extra row, to detect whether there are more.
    [property, from, limit + 1],
  );
  const shown = rows.slice(0, limit);
  const entries = await entriesOf(context, property, shown);
  const isEnd = shown.length === Number(rows[0]?.[11] ?? 0);
  return { entries, next: isEnd ? end : positionsUpTo(context, after, stored, shown.at(-1)!) };
}

/** The sources before that of the last row were read to their end, those after it not at all. */
function positionsUpTo(
  { sources }: QueryContext,
  after: Positions,
  stored: Positions,
  last: ArrivedRow,
): Positions {
  const next: Record<string, number> = { ...after };
  for (const { id, name } of sources.all) {
    if (id === last[8]) {
      next[name] = Number(last[9]);
      break;
    }
    next[name] = stored[name] ?? 0;
  }
  return next;
}

async function entriesOf(
  context: QueryContext,
  property: number,
  rows: readonly (readonly [...EntryRow, ...unknown[]])[],
): Promise<FeedbackEntry[]> {
  const keys = [...new Set(rows.map(([, , key]) => key).filter((key) => key !== null))];
  const identities = await identitiesOf(context, property, keys);
  const bots = await botsAmong(context, property, keys, earliestStart(context.registry, keys));
  return rows.map(([id, type, key, sessionId, option, message, metadata, at]) => ({
    id,
    feedbackTypeId: context.terms.textOf(type) ?? '',
    sessionId,
    ...((key === null ? undefined : identities.get(key)) ?? { visitorId: null, userId: null }),
    option,
    message,
    metadata,
    createdAt: Number(at),
    bot: key !== null && bots.has(key),
  }));
}

export async function feedbackTimes(
  { connection, terms }: QueryContext,
  propertyId: string,
  ids: readonly string[],
): Promise<FeedbackTime[]> {
  const property = terms.find(propertyId);
  if (property === undefined) return [];
  const rows = await rowsOf<[id: string, at: bigint]>(
    connection,
    `SELECT feedback_id, happened_at FROM feedback WHERE property = $1 AND feedback_id IN ${textList('$2')}`,
    [property, JSON.stringify(ids)],
  );
  return rows.map(([id, at]) => ({ id, createdAt: Number(at) }));
}
