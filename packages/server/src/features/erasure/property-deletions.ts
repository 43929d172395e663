import { DAY_MS } from '@switchyard/core/time';
import type { Database } from '../../configuration/database/database.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { StorageError } from '../../platform/errors/storage-error.ts';
import { type ErasureRequest, requestErasure, toErasure } from './erasure-store.ts';

const MAX_LISTED = 100;
/** A node that was cut off from the others for less than this may still store events of a deleted property. */
const LATE_MS = 7 * DAY_MS;

/** Deletions of the events of deleted properties, newest first. */
export async function listDeletions(database: Database): Promise<ErasureRequest[]> {
  const rows = await database
    .selectFrom('erasures')
    .selectAll()
    .where('kind', '=', 'property')
    .orderBy('requested_at', 'desc')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute();
  return rows.map(toErasure);
}

/** Events of the new property could not be told from those of the deleted one. */
export async function assertNotBeingDeleted(database: Database, propertyId: string): Promise<void> {
  const pending = await database
    .selectFrom('erasures')
    .select('id')
    .where('kind', '=', 'property')
    .where('property_id', '=', propertyId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (pending === undefined) return;
  throw new StorageError(
    'PROPERTY_BEING_DELETED',
    `The events of a deleted property "${propertyId}" are still being deleted.`,
  );
}

/** Requests another deletion of properties whose events have arrived since. */
export async function deleteLateEvents(
  database: Database,
  eventStore: Pick<EventStoreClient, 'eventCount'>,
  now: number,
): Promise<void> {
  const finished = await database
    .selectFrom('erasures')
    .select('property_id')
    .distinct()
    .where('kind', '=', 'property')
    .where('finished_at', '>', now - LATE_MS)
    .where('property_id', 'not in', (query) => query.selectFrom('properties').select('id'))
    .execute();
  const pending = new Set(
    (await listDeletions(database)).filter((it) => it.finishedAt === null).map((it) => it.propertyId),
  );
  for (const { property_id: propertyId } of finished) {
    if (pending.has(propertyId) || (await eventStore.eventCount(propertyId)) === 0) continue;
    await requestErasure(database, { propertyId, everything: true });
  }
}
