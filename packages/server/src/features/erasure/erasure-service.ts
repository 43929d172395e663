import type { DatabaseHandle } from '../../configuration/database/database.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import {
  dueErasures,
  type ErasureRequest,
  finishErased,
  finishErasures,
  recordFailure,
  subjectOf,
} from './erasure-store.ts';

/**
 * Carries out the requests of `forget`. New requests run in one pass, which rewrites the event store once. Failed ones
 * are retried later, in groups that shrink with each attempt, so that a subject that cannot be erased ends up alone.
 * The first failure is recorded, ends the run and is thrown; the next run continues with the other requests.
 *
 * @param onErased deletes what is stored elsewhere; called with the properties, before the requests are finished
 * @param ready chooses the requests that can be carried out now; the others stay pending
 */
export async function runPendingErasures(
  handle: DatabaseHandle,
  eventStore: Pick<EventStoreClient, 'forget'>,
  onErased: (propertyIds: readonly string[]) => Promise<void>,
  ready: ChooseReady = async (requests) => requests,
): Promise<void> {
  const requests = await findReady(handle, ready);
  await finishErased(
    handle,
    requests.filter(({ rows }) => rows !== null),
  );
  for (const group of groups(requests.filter(({ rows }) => rows === null))) {
    try {
      const erasures = await eventStore.forget(group.map(subjectOf));
      await onErased(group.map(({ propertyId }) => propertyId));
      await finishErasures(
        handle,
        group.map(({ id }, i) => ({ id, rows: erasures[i]!.rows })),
      );
    } catch (error) {
      await recordFailure(handle.database, group, error);
      throw error;
    }
  }
}

type ChooseReady = (requests: readonly ErasureRequest[]) => Promise<readonly ErasureRequest[]>;

async function findReady(
  { database }: DatabaseHandle,
  ready: ChooseReady,
): Promise<readonly ErasureRequest[]> {
  const due = await dueErasures(database, Date.now());
  if (due.length === 0) return due;
  try {
    return await ready(due);
  } catch (error) {
    await recordFailure(database, due, error);
    throw error;
  }
}

/** Groups requests by failed attempts, new ones first; the group size halves with each failure. */
function groups(requests: readonly ErasureRequest[]): ErasureRequest[][] {
  const byAttempts = new Map<number, ErasureRequest[]>();
  for (const request of requests) {
    byAttempts.set(request.attempts, [...(byAttempts.get(request.attempts) ?? []), request]);
  }
  return [...byAttempts]
    .sort(([a], [b]) => a - b)
    .flatMap(([attempts, cohort]) => split(cohort, Math.ceil(cohort.length / 2 ** attempts)));
}

function split<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < list.length; start += size) parts.push(list.slice(start, start + size));
  return parts;
}
