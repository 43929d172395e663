import { Success } from '@switchyard/core/api/common';
import { FlagUsageBody, FlagUsageList, FlagUsageQuery } from '@switchyard/core/api/flag-usage';
import {
  PRODUCTION,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import { eventTime } from '../../http/contract/client-time.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { sendSuccess } from '../../http/pipeline/record-events.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';
import type { UsageCount } from './evaluation-counts.ts';
import type { ExposureRecorder } from './exposure-recorder.ts';
import type { FlagUsageReader } from './flag-usage-reader.ts';
import type { FlagUsageRecorder } from './flag-usage-recorder.ts';
import { usageValue } from './usage-value.ts';

interface Dependencies {
  auth: Authentication;
  recorder: FlagUsageRecorder;
  exposures: ExposureRecorder;
  reader: FlagUsageReader;
}

export function registerFlagUsageRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerReport(api, dependencies);
  registerList(api, dependencies);
}

function registerReport(api: ApiRoutes, { auth, recorder, exposures }: Dependencies): void {
  api.post<{ Body: FlagUsageBody }>(
    '/v1/flags/usage',
    {
      tag: 'Flags',
      summary: 'Report evaluations that this service has not seen',
      description:
        'For programs that evaluate flags themselves; the Node SDK does it. Flags that do not exist, and values of another type than the flag, are skipped.',
      key: 'secret',
      body: FlagUsageBody,
      responses: { 200: Success },
      errors: ['wrong_property', 'environment_not_found', 'database_unavailable'],
    },
    async (request, reply) => {
      const { propertyId, environment = PRODUCTION.id, reportId, exposures: given } = request.body;
      if (request.body.counts === undefined && given === undefined) {
        throw invalidField('/counts', 'is missing: a report needs counts or exposures');
      }
      const property = auth.property(request, propertyId);
      const receivedAt = Date.now();
      const counts = acceptCounts(property, request.body, receivedAt);
      // First, because a report that is sent again after a failure records exposures once, too.
      await exposures.reported(property, environment, given ?? [], reportId);
      if (counts.length > 0) await recorder.report({ propertyId, reportId, counts, receivedAt });
      return sendSuccess(reply);
    },
  );
}

function acceptCounts(
  property: PropertyConfiguration,
  body: FlagUsageBody,
  receivedAt: number,
): UsageCount[] {
  const { environment = PRODUCTION.id } = body;
  if (!property.environments.some(({ id }) => id === environment))
    throw new ApiError('environment_not_found');
  const types = new Map(property.flags.map(({ key, type }) => [key, type]));
  const { counts = [] } = body;
  return counts
    .filter(({ flagKey, value }) => types.get(flagKey) === typeof value)
    .map(({ flagKey, value, count, lastAt }) => ({
      propertyId: property.id,
      environmentId: environment,
      flagKey,
      value: usageValue(value),
      count,
      at: Math.min(eventTime(lastAt, receivedAt).at, receivedAt),
    }));
}

function registerList(api: ApiRoutes, { auth, reader }: Dependencies): void {
  api.get<{ Querystring: FlagUsageQuery }>(
    '/v1/flags/usage',
    {
      tag: 'Flags',
      summary: 'How often each flag was evaluated in the last 30 days, and which flags are stale',
      description:
        'Up to 10 values per flag and environment, or 100 with `flagKey`. Evaluations by this service are listed after at most 10 seconds, those of the Node SDK after a minute.',
      key: 'secret',
      members: true,
      querystring: FlagUsageQuery,
      responses: { 200: { ...FlagUsageList, description: 'The usage' } },
      errors: ['wrong_property'],
    },
    (request): Promise<FlagUsageList> =>
      reader.read(auth.property(request, request.query.propertyId), request.query.flagKey),
  );
}
