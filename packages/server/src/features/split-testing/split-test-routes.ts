import { IdempotencyHeaders, PageQuery, Success } from '@switchyard/core/api/common';
import { ExposeBody, SplitTestConfig, SplitTestConfigQuery } from '@switchyard/core/api/split-testing';
import type { Cleaner } from '@switchyard/core/cleaning/create-cleaner';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import { checkOrigin } from '../../http/access/cors.ts';
import { preparedResponses } from '../../http/contract/api-description.ts';
import { isBot } from '../../http/contract/bots.ts';
import { sendPrepared } from '../../http/contract/etag.ts';
import type { Metrics } from '../../http/monitoring/metrics.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { type RecordEvents, sendSuccess } from '../../http/pipeline/record-events.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { acceptExposures } from './accept-exposures.ts';
import { CONFIG_TTL_SECONDS, publishedConfig } from './published-config.ts';

interface Dependencies {
  auth: Authentication;
  recordEvents: RecordEvents;
  metrics: Metrics;
  cleanerOf: (property: PropertyConfiguration) => Cleaner;
}

export function registerSplitTestRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerConfig(api, dependencies);
  registerExpose(api, dependencies);
}

function registerConfig(api: ApiRoutes, { auth }: Dependencies): void {
  const url = '/v1/split-testing/config';
  api.hot<{ Querystring: SplitTestConfigQuery }>(
    'GET',
    url,
    {
      tag: 'Split testing',
      summary: 'Definitions of the active split tests',
      key: 'public',
      anyQuery: true,
      querystring: SplitTestConfigQuery,
      responses: preparedResponses(
        { ...SplitTestConfig, description: 'The tests that are running' },
        { 'cache-control': { type: 'string', description: '`public, max-age=60`' } },
      ),
      errors: ['wrong_property', 'origin_not_allowed'],
    },
    (request, reply) => {
      const property = auth.property(request, request.query.propertyId);
      checkOrigin(request, reply, property);
      reply.header('cache-control', `public, max-age=${CONFIG_TTL_SECONDS}`);
      return sendPrepared(request, reply, publishedConfig(property, Date.now()));
    },
  );
}

function registerExpose(api: ApiRoutes, { auth, recordEvents, metrics, cleanerOf }: Dependencies): void {
  const url = '/v1/split-testing/expose';
  api.hot<{ Body: ExposeBody }>(
    'POST',
    url,
    {
      tag: 'Split testing',
      summary: 'Record which variations visitors were shown',
      description:
        'Exposures of unknown tests or variations are dropped; if none is known, the response is 404. A `phase` that the test has not reached yet is ignored.',
      key: 'public',
      anyQuery: true,
      querystring: PageQuery,
      headers: IdempotencyHeaders,
      body: ExposeBody,
      responses: { 200: Success },
      errors: [
        'wrong_property',
        'origin_not_allowed',
        'split_test_not_found',
        'idempotency_key_reused',
        'overloaded',
      ],
    },
    async (request, reply) => {
      const property = auth.property(request, request.body.propertyId);
      checkOrigin(request, reply, property);
      const exposures = acceptExposures(
        property,
        request.body.exposures,
        isBot(request.headers['user-agent']),
        metrics,
        cleanerOf(property),
      );
      if (exposures === undefined) throw new ApiError('split_test_not_found');
      await recordEvents(request, exposures);
      return sendSuccess(reply);
    },
  );
}
