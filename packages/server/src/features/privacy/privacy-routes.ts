import { PropertyParams } from '@switchyard/core/api/management';
import { MAX_PREVIEW_SESSIONS, PrivacyPreview, ProvisionedPrivacy } from '@switchyard/core/api/privacy';
import { DAY_MS } from '@switchyard/core/time';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { previewUrls } from './preview-urls.ts';
import type { RemovedParameters } from './removed-parameters.ts';

interface Services {
  eventStore: Pick<EventStoreClient, 'sessionPage'>;
  removed: Pick<RemovedParameters, 'list'>;
}

/** What other privacy settings would change. */
export function registerPrivacyRoutes(api: ApiRoutes, { eventStore, removed }: Services): void {
  api.post<{ Body: ProvisionedPrivacy }>(
    '/v1/manage/properties/:propertyId/privacy-preview',
    {
      tag: 'Management',
      summary: 'What privacy settings would have changed in the URLs of the last day',
      description:
        'Settings that the body does not mention stay as they are. What was removed when it arrived is not stored, so a preview shows only what would be removed in addition. Changes nothing.',
      access: 'viewer',
      params: PropertyParams,
      body: ProvisionedPrivacy,
      responses: { 200: { ...PrivacyPreview, description: 'The URLs that would be stored otherwise' } },
      errors: EVENT_QUERY_ERRORS,
    },
    async ({ managed, body }): Promise<PrivacyPreview> => {
      const { rows } = await eventStore.sessionPage({
        propertyId: managed.id,
        from: Date.now() - DAY_MS,
        limit: MAX_PREVIEW_SESSIONS,
      });
      return {
        ...previewUrls(rows, { ...managed.privacy, ...body }),
        removedToday: removed.list(managed.id),
      };
    },
  );
}
