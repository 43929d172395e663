import { FeedbackState, FeedbackStateBody } from '@switchyard/core/api/feedback';
import { FeedbackParams } from '@switchyard/core/api/management';
import type { Database } from '../../configuration/database/database.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { changeFeedbackState } from './feedback-states.ts';

interface Stores {
  database: Database;
  eventStore: Pick<EventStoreClient, 'feedbackTimes'>;
}

/** What the team makes of a feedback entry. */
export function registerFeedbackStateRoutes(api: ApiRoutes, stores: Stores): void {
  api.patch<{ Params: FeedbackParams; Body: FeedbackStateBody }>(
    '/v1/manage/properties/:propertyId/feedback/:feedbackId',
    {
      tag: 'Management',
      summary: 'Set the status or the notes of a feedback entry',
      access: 'editor',
      params: FeedbackParams,
      body: FeedbackStateBody,
      responses: { 200: { ...FeedbackState, description: 'Saved' } },
      errors: ['not_found', ...EVENT_QUERY_ERRORS],
    },
    ({ managed, params, body, caller }) =>
      changeFeedbackState(stores, managed.id, params.feedbackId, body, caller.account.id),
  );
}
