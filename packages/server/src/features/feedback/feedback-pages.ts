import type { FeedbackState, FeedbackStatus } from '@switchyard/core/api/feedback';
import { withoutCookielessIds } from '@switchyard/core/cleaning/cookieless';
import type { Database } from '../../configuration/database/database.ts';
import type { FeedbackEntry, FeedbackPageQuery } from '../../events/store/event-store.ts';
import type { Cursor, Page } from '../../events/store/page.ts';
import { PAGE_BYTES } from '../../events/store/page.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { EntryFilter } from './feedback-flag-filter.ts';
import { entriesWithStatus, NEW_STATE, statesOf } from './feedback-state-store.ts';

interface Stores {
  database: Database;
  eventStore: Pick<EventStoreClient, 'feedbackPage'>;
}

export type FeedbackWithState = FeedbackEntry & Pick<FeedbackState, 'status' | 'notes'>;

/** Entries examined at once when a status or a flag value is asked for: more than a small page, because some do not match. */
const MIN_BATCH = 100;
const MAX_BATCHES = 10;

/**
 * One page of feedback with status and notes. With a status or a flag value, a page ends early when many entries in a row do not match;
 * the cursor then continues after the last one that was examined.
 */
export async function readFeedbackPage(
  stores: Stores,
  { status, ...query }: FeedbackPageQuery & { status?: FeedbackStatus },
  matching?: EntryFilter,
): Promise<Page<FeedbackWithState>> {
  const rows: FeedbackWithState[] = [];
  let after = query.after;
  let bytes = 0;
  const isFiltered = status !== undefined || matching !== undefined;
  const limit = isFiltered ? Math.max(query.limit, MIN_BATCH) : query.limit;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const page = await nextBatch(stores, { ...query, limit, ...(after && { after }) }, status);
    const ofStatus = page.rows.filter((row) => status === undefined || row.status === status);
    const kept = await matching?.(ofStatus);
    for (const row of ofStatus) {
      if (kept?.has(row.id) === false) continue;
      rows.push(row);
      bytes += sizeOf(row);
      if (rows.length < query.limit && bytes < PAGE_BYTES) continue;
      const isLast = row === page.rows.at(-1) && page.next === undefined;
      return { rows, next: isLast ? undefined : { at: row.createdAt, id: row.id } };
    }
    after = page.next;
    if (after === undefined) break;
  }
  return { rows, next: after };
}

/** The next entries that may have the status. */
async function nextBatch(
  stores: Stores,
  query: FeedbackPageQuery,
  status: FeedbackStatus | undefined,
): Promise<Page<FeedbackWithState>> {
  const { database, eventStore } = stores;
  const { propertyId, limit, after } = query;
  if (status === undefined || status === 'new')
    return withStates(stores, propertyId, await eventStore.feedbackPage(query));
  const marked = await entriesWithStatus(database, propertyId, status, { after, limit });
  if (marked.length === 0) return { rows: [], next: undefined };
  const ids = marked.map(({ id }) => id);
  const page = await withStates(stores, propertyId, await eventStore.feedbackPage({ ...query, ids }));
  const last = marked.at(-1)!;
  const end: Cursor | undefined = marked.length < limit ? undefined : { at: last.createdAt, id: last.id };
  return { rows: page.rows, next: page.next ?? end };
}

async function withStates(
  { database }: Stores,
  propertyId: string,
  { rows, next }: Page<FeedbackEntry>,
): Promise<Page<FeedbackWithState>> {
  const states = await statesOf(
    database,
    propertyId,
    rows.map(({ id }) => id),
  );
  return {
    rows: rows.map((row) => ({ ...withoutCookielessIds(row), ...(states.get(row.id) ?? NEW_STATE) })),
    next,
  };
}

/** Roughly, as JSON. */
const sizeOf = ({ message, metadata, notes }: FeedbackWithState): number =>
  300 + (message?.length ?? 0) + (metadata?.length ?? 0) + (notes?.length ?? 0);
