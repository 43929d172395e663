import { IdempotencyHeaders, PageQuery, Success } from '@switchyard/core/api/common';
import {
  CollectBody,
  DailyIdentity,
  DailyIdentityBody,
  DailyIdentityQuery,
  SessionDetail,
  SessionParams,
  SessionQuery,
  SessionsPage,
  SessionsQuery,
} from '@switchyard/core/api/sessions';
import type { ExposeBody } from '@switchyard/core/api/split-testing';
import type { Cleaner } from '@switchyard/core/cleaning/create-cleaner';
import { DAY_MS } from '@switchyard/core/time';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { AcceptedExposures } from '../../events/store/accepted-request.ts';
import { ownHosts } from '../../events/store/external-referrer.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import { checkOrigin } from '../../http/access/cors.ts';
import { decodeListCursor, decodeTimelineCursor, encodeListCursor } from '../../http/contract/paging.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { type RecordEvents, sendSuccess } from '../../http/pipeline/record-events.ts';
import { ApiError, EVENT_QUERY_ERRORS } from '../../platform/errors/errors.ts';
import { acceptCollect } from './collect.ts';
import { dailyIdentity } from './daily-identity.ts';
import type { DailySalt } from './daily-salt.ts';
import type { SessionIdentities } from './session-identities.ts';
import { type PhaseOf, sessionListFilter } from './session-list-filter.ts';
import { detailResponse, summaryResponse } from './session-responses.ts';

/** `undefined` if all tests or variations are unknown. */
type AcceptExposures = (
  property: PropertyConfiguration,
  exposures: ExposeBody['exposures'],
  userAgent: string | undefined,
  cleaner: Cleaner,
) => AcceptedExposures | undefined;

interface Dependencies {
  auth: Authentication;
  recordEvents: RecordEvents;
  acceptExposures: AcceptExposures;
  identities: Pick<SessionIdentities, 'remember'>;
  eventStore: Pick<EventStoreClient, 'positions' | 'sessionPage' | 'session'>;
  phaseOf: PhaseOf;
  cleanerOf: (property: PropertyConfiguration) => Cleaner;
  dailySalt: Pick<DailySalt, 'current'>;
  /** Whether the server runs behind a trusted proxy, whose country header is used. */
  behindProxy: boolean;
}

export function registerSessionRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerCollect(api, dependencies);
  registerDailyIdentity(api, dependencies);
  registerList(api, dependencies);
  registerDetail(api, dependencies);
}

function registerCollect(
  api: ApiRoutes,
  { auth, recordEvents, acceptExposures, identities, cleanerOf, behindProxy }: Dependencies,
): void {
  const url = '/v1/sessions/collect';
  api.hot<{ Body: CollectBody }>(
    'POST',
    url,
    {
      tag: 'Sessions',
      summary: 'Link a session to its visitor and record its events',
      description:
        'Exposures, goals and feedback of the session can be sent before; they are attributed to the visitor once this request arrives. `exposures` are stored in the same step, so that a page needs one request for both.',
      key: 'public',
      anyQuery: true,
      querystring: PageQuery,
      headers: IdempotencyHeaders,
      body: CollectBody,
      responses: { 200: Success },
      errors: ['wrong_property', 'origin_not_allowed', 'idempotency_key_reused', 'overloaded'],
    },
    async (request, reply) => {
      const property = auth.property(request, request.body.propertyId);
      checkOrigin(request, reply, property);
      const cleaner = cleanerOf(property);
      const collect = acceptCollect(request.body, request.headers, behindProxy, cleaner);
      const { sessionId, exposures } = request.body;
      const shown = exposures?.map((exposure) => ({ ...exposure, sessionId }));
      const exposed = shown && acceptExposures(property, shown, request.headers['user-agent'], cleaner);
      const outcome = await recordEvents(request, collect, exposed);
      // A replay was stored when it first arrived; a later request may have set another visitor since.
      if (outcome === 'stored') identities.remember(collect);
      return sendSuccess(reply);
    },
  );
}

function registerDailyIdentity(api: ApiRoutes, { auth, dailySalt }: Dependencies): void {
  api.hot<{ Body: DailyIdentityBody }>(
    'POST',
    '/v1/sessions/daily-identity',
    {
      tag: 'Sessions',
      summary: 'An id of the visitor for today, for pages that store nothing on the device',
      description:
        'A hash of property, client address and user agent with a secret that is deleted when the day (UTC) is over, so that nobody can compute it again. Sessions with such an id are counted, but not listed.',
      key: 'public',
      querystring: DailyIdentityQuery,
      body: DailyIdentityBody,
      responses: {
        200: {
          ...DailyIdentity,
          description: 'The id of today',
          headers: { 'cache-control': { type: 'string', description: '`no-store`' } },
        },
      },
      errors: ['wrong_property', 'origin_not_allowed'],
    },
    async (request, reply) => {
      const property = auth.property(request, request.body.propertyId);
      checkOrigin(request, reply, property);
      const now = Date.now();
      const salt = await dailySalt.current(now);
      const { ip, headers } = request;
      const identity: DailyIdentity = {
        id: dailyIdentity(salt, property.id, ip, headers['user-agent']),
        expiresAt: (Math.floor(now / DAY_MS) + 1) * DAY_MS,
      };
      reply.header('cache-control', 'no-store');
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(identity));
    },
  );
}

function registerList(api: ApiRoutes, { auth, eventStore, phaseOf }: Dependencies): void {
  api.get<{ Querystring: SessionsQuery }>(
    '/v1/sessions',
    {
      tag: 'Sessions',
      summary: 'Sessions, newest first',
      description:
        'All filters must match. `from` and `to` apply to the start of the session. `phase`, `multipleVariations` and `converted` count visitors and conversions as the results of the test do, except that crawlers count too.',
      key: 'secret',
      anyQuery: true,
      members: true,
      querystring: SessionsQuery,
      responses: { 200: { ...SessionsPage, description: 'One page' } },
      errors: [
        'wrong_property',
        'split_test_not_found',
        'goal_not_found',
        'feedback_type_not_found',
        ...EVENT_QUERY_ERRORS,
      ],
    },
    async (request): Promise<SessionsPage> => {
      const { limit = 50, cursor, ...query } = request.query;
      const after = decodeListCursor(cursor);
      const property = auth.property(request, query.propertyId);
      const filter = sessionListFilter(property, query, phaseOf);
      const asOf = after === undefined ? await eventStore.positions() : after.asOf;
      const list = {
        ...filter,
        ownHosts: ownHosts(property),
        ...(asOf !== undefined && { asOf }),
        ...(after && { after }),
      };
      const { rows, next } = await eventStore.sessionPage({ ...list, limit });
      return { sessions: rows.map(summaryResponse), nextCursor: encodeListCursor(next, asOf) };
    },
  );
}

function registerDetail(api: ApiRoutes, { auth, eventStore }: Dependencies): void {
  api.get<{ Params: { sessionId: string }; Querystring: SessionQuery }>(
    '/v1/sessions/:sessionId',
    {
      tag: 'Sessions',
      summary: 'A session with its timeline',
      description: 'The timeline is paged, oldest first; all other fields are the same on every page.',
      key: 'secret',
      members: true,
      params: SessionParams,
      querystring: SessionQuery,
      responses: { 200: { ...SessionDetail, description: 'The session' } },
      errors: ['wrong_property', 'not_found', ...EVENT_QUERY_ERRORS],
    },
    async (request): Promise<SessionDetail> => {
      const { propertyId, limit = 200, cursor } = request.query;
      const { sessionId } = request.params;
      const hosts = ownHosts(auth.property(request, propertyId));
      const after = decodeTimelineCursor(cursor);
      const query = { propertyId, sessionId, ownHosts: hosts, limit, ...(after && { after }) };
      const session = await eventStore.session(query);
      if (session === undefined) throw new ApiError('not_found', { message: 'There is no such session.' });
      return detailResponse(session);
    },
  );
}
