import { COMPARISON, IdempotencyHeaders, Success } from '@switchyard/core/api/common';
import {
  ConversionsPage,
  ConversionsQuery,
  DecrementBody,
  type GoalBody,
  GoalProgress,
  GoalProgressQuery,
  IncrementBody,
} from '@switchyard/core/api/goals';
import { withoutCookielessIds } from '@switchyard/core/cleaning/cookieless';
import { unknownName } from '@switchyard/core/evaluation/closest-name';
import { toDollars } from '@switchyard/core/money';
import type { Goal, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { StoredConversion } from '../../events/store/conversion-queries.ts';
import { LOCAL_SOURCE } from '../../events/store/event-store.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import { botFilter } from '../../http/contract/bot-filter.ts';
import { decodeTimelineCursor, encodeTimelineCursor } from '../../http/contract/paging.ts';
import { periodOf } from '../../http/contract/period.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { type RecordEvents, sendSuccess } from '../../http/pipeline/record-events.ts';
import { ApiError, EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { acceptConversion } from './accept-conversion.ts';
import { type GoalQueries, goalProgress } from './goal-progress.ts';

interface Dependencies {
  auth: Authentication;
  recordEvents: RecordEvents;
  eventStore: GoalQueries & Pick<EventStoreClient, 'conversionPage'>;
}

export function registerGoalRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerStep(api, dependencies, 'increment');
  registerStep(api, dependencies, 'decrement');
  registerProgress(api, dependencies);
  registerConversions(api, dependencies);
}

function registerStep(
  api: ApiRoutes,
  { auth, recordEvents }: Dependencies,
  step: 'increment' | 'decrement',
): void {
  const isIncrement = step === 'increment';
  api.hot<{ Body: GoalBody }>(
    'POST',
    `/v1/goals/${step}`,
    {
      tag: 'Goals',
      summary: isIncrement ? 'Add to a goal' : 'Subtract from a goal, e.g. for a refund',
      description: isIncrement
        ? 'Counts one conversion; for a revenue goal it also adds `amount` dollars.'
        : 'Stored as a negative increment: subtracts one conversion and, for a revenue goal, `amount` dollars.',
      key: 'secret',
      anyQuery: true,
      headers: IdempotencyHeaders,
      body: isIncrement ? IncrementBody : DecrementBody,
      responses: { 200: Success },
      errors: [
        'amount_not_positive',
        'amount_required',
        'wrong_property',
        'goal_not_found',
        'idempotency_key_reused',
        'overloaded',
      ],
    },
    async (request, reply) => {
      const property = auth.property(request, request.body.propertyId);
      const goal = requireGoal(property, request.body.goalId);
      const conversion = acceptConversion(goal, request.body, isIncrement ? 1 : -1);
      await recordEvents(request, conversion);
      return sendSuccess(reply);
    },
  );
}

function requireGoal(property: PropertyConfiguration, goalId: string): Goal {
  const goal = property.goals.find(({ id }) => id === goalId);
  if (goal !== undefined) return goal;
  const known = property.goals.map(({ id }) => id);
  throw new ApiError('goal_not_found', { message: `The property has no goal${unknownName(goalId, known)}` });
}

function registerProgress(api: ApiRoutes, { auth, eventStore }: Dependencies): void {
  api.get<{ Querystring: GoalProgressQuery }>(
    '/v1/goals/progress',
    {
      tag: 'Goals',
      summary: 'Progress of a goal, compared with the previous period',
      description: `Default period: the last 30 days. ${COMPARISON} Conversions of crawlers are left out, see \`bots\`.`,
      key: 'secret',
      members: true,
      querystring: GoalProgressQuery,
      responses: { 200: { ...GoalProgress, description: 'The progress' } },
      errors: ['wrong_property', 'goal_not_found', ...EVENT_QUERY_ERRORS],
    },
    (request) => {
      const period = periodOf(request.query, Date.now());
      const property = auth.property(request, request.query.propertyId);
      const { goalId, bots = 'exclude' } = request.query;
      return goalProgress(eventStore, property, requireGoal(property, goalId), period, bots);
    },
  );
}

function registerConversions(api: ApiRoutes, { auth, eventStore }: Dependencies): void {
  api.get<{ Querystring: ConversionsQuery }>(
    '/v1/goals/conversions',
    {
      tag: 'Goals',
      summary: 'Increments and decrements, newest first',
      key: 'secret',
      members: true,
      querystring: ConversionsQuery,
      responses: { 200: { ...ConversionsPage, description: 'One page' } },
      errors: ['wrong_property', 'goal_not_found', ...EVENT_QUERY_ERRORS],
    },
    async (request): Promise<ConversionsPage> => {
      const { limit = 50, cursor, type, bots = 'include', ...filter } = request.query;
      const after = decodeTimelineCursor(cursor);
      const property = auth.property(request, filter.propertyId);
      if (filter.goalId !== undefined) requireGoal(property, filter.goalId);
      const { rows, next } = await eventStore.conversionPage({
        ...filter,
        ...botFilter(bots),
        ...(type !== undefined && { direction: type === 'increment' ? 1 : -1 }),
        limit,
        ...(after && { after }),
      });
      return {
        conversions: rows.map((row) => conversionResponse(withoutCookielessIds(row))),
        nextCursor: encodeTimelineCursor(next),
      };
    },
  );
}

function conversionResponse(conversion: StoredConversion): ConversionsPage['conversions'][number] {
  const { source, ordinal, direction, amountMicros, metadata, at, ...rest } = conversion;
  return {
    id: source === LOCAL_SOURCE ? `cnv_${ordinal}` : `cnv_${source}_${ordinal}`,
    ...rest,
    type: direction === 1 ? 'increment' : 'decrement',
    amount: toDollars(amountMicros),
    metadata: JSON.parse(metadata ?? '{}'),
    createdAt: at,
  };
}
