import { PropertyDeletionList } from '@switchyard/core/api/management';
import type { Database } from '../../configuration/database/database.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { erasureResponse } from './erasure-routes.ts';
import type { ErasureRequest } from './erasure-store.ts';
import { listDeletions } from './property-deletions.ts';

interface Services {
  database: Database;
  eventStore: Pick<EventStoreClient, 'eventCount'>;
}

/** The deletion of events outlives the property, so owners read its progress here. */
export function registerPropertyDeletionRoutes(api: ApiRoutes, { database, eventStore }: Services): void {
  const responseOf = async (deletion: ErasureRequest) => ({
    ...erasureResponse(deletion),
    propertyId: deletion.propertyId,
    remaining: deletion.finishedAt === null ? await eventStore.eventCount(deletion.propertyId) : 0,
  });
  api.get(
    '/v1/manage/property-deletions',
    {
      tag: 'Management',
      summary: 'The deletion of the events of deleted properties',
      description: 'The last 100, newest first.',
      access: 'owner',
      responses: { 200: { ...PropertyDeletionList, description: 'With the number of events that are left' } },
    },
    async () => ({ deletions: await Promise.all((await listDeletions(database)).map(responseOf)) }),
  );
}
