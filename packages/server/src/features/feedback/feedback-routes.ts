import { randomBytes } from 'node:crypto';
import { IdempotencyHeaders, Success } from '@switchyard/core/api/common';
import { FeedbackBody, FeedbackPage, FeedbackQuery } from '@switchyard/core/api/feedback';
import type { Database } from '../../configuration/database/database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { FeedbackType } from '../../configuration/property/property-configuration.ts';
import type { AcceptedFeedback } from '../../events/store/accepted-request.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import { botFilter } from '../../http/contract/bot-filter.ts';
import { decodeListCursor, encodeListCursor } from '../../http/contract/paging.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { type RecordEvents, sendSuccess } from '../../http/pipeline/record-events.ts';
import { ApiError, ERRORS, type ErrorCode, EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { type FlagValues, flagFilter } from './feedback-flag-filter.ts';
import { readFeedbackPage } from './feedback-pages.ts';
import { checkReferences, requireType } from './feedback-references.ts';

interface Dependencies {
  auth: Authentication;
  recordEvents: RecordEvents;
  eventStore: Pick<EventStoreClient, 'feedbackPage'>;
  database: Database;
  model: ConfigurationModel;
  flagValues: FlagValues;
}

export function registerFeedbackRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerSubmit(api, dependencies);
  registerList(api, dependencies);
}

function registerSubmit(api: ApiRoutes, { auth, recordEvents }: Dependencies): void {
  api.post<{ Body: FeedbackBody }>(
    '/v1/feedback/submit',
    {
      tag: 'Feedback',
      summary: 'Record a feedback entry',
      key: 'secret',
      anyQuery: true,
      headers: IdempotencyHeaders,
      body: FeedbackBody,
      responses: { 200: Success },
      errors: [
        'feedback_empty',
        'option_not_allowed',
        'message_not_allowed',
        'wrong_property',
        'feedback_type_not_found',
        'idempotency_key_reused',
        'overloaded',
      ],
    },
    async (request, reply) => {
      const property = auth.property(request, request.body.propertyId);
      const type = requireType(property, request.body.feedbackTypeId);
      await recordEvents(request, acceptFeedback(type, request.body));
      return sendSuccess(reply);
    },
  );
}

function acceptFeedback(type: FeedbackType, body: FeedbackBody): AcceptedFeedback {
  const { propertyId, sessionId, option, metadata } = body;
  // An empty string means that the field was not filled in.
  const message = body.message === '' ? undefined : body.message;
  rejectInvalidFields([
    ...(option !== undefined && !type.options.includes(option) ? (['option_not_allowed'] as const) : []),
    ...(message !== undefined && !type.textInput ? (['message_not_allowed'] as const) : []),
  ]);
  return {
    kind: 'feedback',
    propertyId,
    receivedAt: Date.now(),
    id: `fbk_${randomBytes(12).toString('base64url')}`,
    feedbackTypeId: type.id,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(option === undefined ? {} : { option }),
    ...(message === undefined ? {} : { message }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
  };
}

function rejectInvalidFields(codes: readonly ErrorCode[]): void {
  const first = codes[0];
  if (first === undefined) return;
  const fields = codes.map((code) => ({
    pointer: code === 'option_not_allowed' ? '/option' : '/message',
    code,
    detail: ERRORS[code].message,
  }));
  throw new ApiError(first, { fields });
}

function registerList(api: ApiRoutes, { auth, eventStore, database, model, flagValues }: Dependencies): void {
  api.get<{ Querystring: FeedbackQuery }>(
    '/v1/feedback',
    {
      tag: 'Feedback',
      summary: 'Feedback entries, newest first',
      description:
        'All filters must match. With `splitTestKey`, entries of visitors who had been exposed to the test, and with `variationKey` to this variation, when they submitted them, in whichever session; a session without a visitor counts as a visitor.\n\nWith `flagKey`, entries of sessions for which the flag had the value `flagValue` when they were submitted. It is computed from the history and from what the service knows of the session; what was really served may differ. Entries without a session, from before the history, and from before the latest 500 changes of the flag are left out.\n\nWith `status` or `flagKey`, a page may have fewer entries than `limit`, or none, before the last page: continue until `nextCursor` is null.',
      key: 'secret',
      members: true,
      querystring: FeedbackQuery,
      responses: { 200: { ...FeedbackPage, description: 'One page' } },
      errors: [
        'wrong_property',
        'feedback_type_not_found',
        'split_test_not_found',
        'not_found',
        'environment_not_found',
        ...EVENT_QUERY_ERRORS,
      ],
    },
    async (request): Promise<FeedbackPage> => {
      const {
        limit = 50,
        cursor,
        flagKey,
        flagValue,
        environment,
        bots = 'include',
        ...filter
      } = request.query;
      const after = decodeListCursor(cursor);
      const property = auth.property(request, filter.propertyId);
      checkReferences(property, request.query);
      const matching = flagFilter({ database, model, flagValues }, property, request.query);
      const query = { ...filter, ...botFilter(bots), limit, ...(after && { after }) };
      const { rows, next } = await readFeedbackPage({ eventStore, database }, query, matching);
      const feedback = rows.map((entry) => ({ ...entry, metadata: JSON.parse(entry.metadata ?? '{}') }));
      return { feedback, nextCursor: encodeListCursor(next), ...(matching && { computed: true }) };
    },
  );
}
