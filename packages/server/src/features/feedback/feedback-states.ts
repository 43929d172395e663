import type { FeedbackState, FeedbackStateBody } from '@switchyard/core/api/feedback';
import type { Database } from '../../configuration/database/database.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { deleteStates, idsWithState, setFeedbackState } from './feedback-state-store.ts';

interface Stores {
  database: Database;
  eventStore: Pick<EventStoreClient, 'feedbackTimes'>;
}

/** States checked per step. */
const SWEEP_SIZE = 1000;

/**
 * Sets the status or the notes of an entry; throws `not_found` if there is no such entry.
 *
 * @param by id of the account
 */
export async function changeFeedbackState(
  { database, eventStore }: Stores,
  propertyId: string,
  feedbackId: string,
  change: FeedbackStateBody,
  by: string,
): Promise<FeedbackState> {
  const find = async () =>
    (await eventStore.feedbackTimes(propertyId, [feedbackId])).find(({ id }) => id === feedbackId);
  const missing = () => new ApiError('not_found', { message: 'There is no feedback entry with this id.' });
  const entry = await find();
  if (entry === undefined) throw missing();
  const state = await setFeedbackState(database, propertyId, entry, change, by);
  if ((await find()) !== undefined) return state;
  // Erased in the meantime: its notes must not stay behind.
  await deleteStates(database, propertyId, [feedbackId]);
  throw missing();
}

/** Deletes the states of entries that no longer exist, because they were erased or have expired. */
export async function sweepFeedbackStates(
  { database, eventStore }: Stores,
  propertyIds: Iterable<string>,
): Promise<void> {
  for (const propertyId of new Set(propertyIds)) {
    for (let after = ''; ; ) {
      const ids = await idsWithState(database, propertyId, { after, limit: SWEEP_SIZE });
      const last = ids.at(-1);
      if (last === undefined) break;
      const existing = new Set((await eventStore.feedbackTimes(propertyId, ids)).map(({ id }) => id));
      await deleteStates(
        database,
        propertyId,
        ids.filter((id) => !existing.has(id)),
      );
      after = last;
    }
  }
}
