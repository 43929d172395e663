import { Readable } from 'node:stream';
import type { FeedbackStatus } from '@switchyard/core/api/feedback';
import type { Database } from '../../configuration/database/database.ts';
import type { FeedbackFilter } from '../../events/store/feedback-queries.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { BYTE_ORDER_MARK, csvRow } from '../../http/contract/csv-row.ts';
import type { EntryFilter } from './feedback-flag-filter.ts';
import { type FeedbackWithState, readFeedbackPage } from './feedback-pages.ts';

interface Stores {
  database: Database;
  eventStore: Pick<EventStoreClient, 'feedbackPage'>;
}

const PAGE_SIZE = 500;

const COLUMNS = [
  'id',
  'created_at',
  'feedback_type',
  'option',
  'message',
  'status',
  'notes',
  'session_id',
  'visitor_id',
  'user_id',
  'metadata',
  'bot',
];

/**
 * All entries, newest first, as a CSV file. The next page is read when the client has taken the last one, so memory
 * does not grow with the number of entries. Reads the first page before it returns: its errors can still be sent.
 */
export async function exportFeedback(
  stores: Stores,
  filter: FeedbackFilter & { status?: FeedbackStatus },
  matching?: EntryFilter,
): Promise<Readable> {
  const read = (after: { after?: { at: number; id: string } }) =>
    readFeedbackPage(stores, { ...filter, limit: PAGE_SIZE, ...after }, matching);
  const first = await read({});
  async function* lines(): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + csvRow(COLUMNS);
    for (let page = first; ; page = await read({ after: page.next })) {
      if (page.rows.length > 0) yield page.rows.map(lineOf).join('');
      if (page.next === undefined) return;
    }
  }
  return Readable.from(lines(), { objectMode: false });
}

function lineOf(entry: FeedbackWithState): string {
  const { id, createdAt, feedbackTypeId, option, message, status, notes } = entry;
  const { sessionId, visitorId, userId, metadata, bot } = entry;
  const values = [
    ...[id, new Date(createdAt).toISOString(), feedbackTypeId, option, message, status, notes],
    sessionId,
    visitorId,
    userId,
    metadata,
    String(bot),
  ];
  return csvRow(values.map((value) => value ?? ''));
}
