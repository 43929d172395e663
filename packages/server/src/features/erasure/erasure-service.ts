import type { DatabaseHandle } from '../../storage/database.ts';
import type { EventStoreClient } from '../../storage/event-store-client.ts';
import { finish, pending, subjectOf } from './erasure-store.ts';

/** Carries out what `forget` asked for, oldest first; returns how many requests that were. */
export async function runPendingErasures(
  handle: DatabaseHandle,
  eventStore: Pick<EventStoreClient, 'forget'>,
  onErased: () => void,
): Promise<number> {
  const requests = await pending(handle.database);
  for (const request of requests) {
    const { rows } = await eventStore.forget(subjectOf(request));
    onErased();
    await finish(handle, request.id, { rows });
  }
  return requests.length;
}
