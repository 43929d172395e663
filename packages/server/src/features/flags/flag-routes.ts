import {
  EvaluateBody,
  Evaluations,
  FlagList,
  FlagListQuery,
  FlagStreamHeaders,
  FlagStreamQuery,
  SegmentList,
} from '@switchyard/core/api/flags';
import { PRODUCTION } from '../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import { plainResponse, preparedResponses } from '../../http/contract/api-description.ts';
import { sendPrepared } from '../../http/contract/etag.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import type { ExposureRecorder } from './exposure-recorder.ts';
import { type FindIdentity, type FlagEvaluator, flagsIn, withIdentity } from './flag-evaluator.ts';
import type { FlagStreams } from './flag-streams.ts';
import { publishedFlags, publishedSegments } from './published-flags.ts';

interface Dependencies {
  auth: Authentication;
  evaluator: FlagEvaluator;
  exposures: ExposureRecorder;
  findIdentity: FindIdentity;
  streams: FlagStreams;
}

export function registerFlagRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerEvaluate(api, dependencies);
  registerList(api, dependencies);
  registerSegments(api, dependencies);
  registerStream(api, dependencies);
}

function registerEvaluate(api: ApiRoutes, { auth, evaluator, exposures, findIdentity }: Dependencies): void {
  api.hot<{ Body: EvaluateBody }>(
    'POST',
    '/v1/flags/evaluate',
    {
      tag: 'Flags',
      summary: 'Evaluate flags for a context',
      description:
        'With `record`, evaluations of measured rules are stored before the response, once per visitor or user, variant and day. If they cannot be stored, because events cannot be at present, the flags are evaluated all the same, and the response has `"recorded": false`.',
      key: 'secret',
      anyQuery: true,
      body: EvaluateBody,
      responses: { 200: { ...Evaluations, description: 'The evaluation of each flag' } },
      errors: ['wrong_property', 'environment_not_found', 'storage_damaged', 'event_store_unavailable'],
    },
    (request, reply) => {
      const { propertyId, environment = PRODUCTION.id, context = {}, flagKeys } = request.body;
      const property = auth.property(request, propertyId);
      const flags = flagsIn(property, environment);
      const { record = property.recordEvaluations === true } = request.body;
      const send = (complete: Record<string, unknown>) => {
        const json = evaluator.evaluationsJson(flags, complete, flagKeys);
        const stored = record ? exposures.evaluated(property, flags, complete, flagKeys) : undefined;
        const respond = (isStored = true) =>
          reply.type('application/json; charset=utf-8').send(isStored ? json : unrecorded(json));
        return stored === undefined ? respond() : stored.then(respond);
      };
      const complete = withIdentity(propertyId, context, findIdentity);
      return complete instanceof Promise ? complete.then(send) : send(complete);
    },
  );
}

/** The same evaluations with a note. */
const unrecorded = (json: string) => `${json.slice(0, -1)},"recorded":false}`;

function registerList(api: ApiRoutes, { auth }: Dependencies): void {
  api.hot<{ Querystring: FlagListQuery }>(
    'GET',
    '/v1/flags/list',
    {
      tag: 'Flags',
      summary: 'All flags and their configurations per environment',
      key: 'secret',
      anyQuery: true,
      members: true,
      querystring: FlagListQuery,
      responses: preparedResponses({ ...FlagList, description: 'Flags and configurations' }),
      errors: ['wrong_property'],
    },
    (request, reply) =>
      sendPrepared(request, reply, publishedFlags(auth.property(request, request.query.propertyId))),
  );
}

function registerSegments(api: ApiRoutes, { auth }: Dependencies): void {
  api.hot<{ Querystring: FlagListQuery }>(
    'GET',
    '/v1/flags/segments',
    {
      tag: 'Flags',
      summary: 'The segments that rules refer to with `inSegment`',
      description: 'Together with the list of flags, this is all that local evaluation needs.',
      key: 'secret',
      members: true,
      querystring: FlagListQuery,
      responses: preparedResponses({ ...SegmentList, description: 'Segments' }),
      errors: ['wrong_property'],
    },
    (request, reply) =>
      sendPrepared(request, reply, publishedSegments(auth.property(request, request.query.propertyId))),
  );
}

function registerStream(api: ApiRoutes, { auth, streams }: Dependencies): void {
  api.get<{ Querystring: { propertyId: string }; Headers: FlagStreamHeaders }>(
    '/v1/flags/stream',
    {
      tag: 'Flags',
      summary: 'Server-sent events: one `change` per saved change',
      description:
        'The data of a `change` is `{"propertyId", "version", "flags", "etags", "spreadMs", "delta"}`: the keys that changed, and the `ETag` that the list and the segments have now. If `delta.from` has those of your list and segments, apply `delta`: its flags and segments replace those with the same id, its `configs` all those of its flags. Otherwise, and if there is no `delta`, fetch the list again after a random part of `spreadMs`. The first event, `state`, has the tags too. Every `id` is a version of the property and stays valid after a restart. A client that reconnects with the last one as `Last-Event-ID`, as event sources do, immediately gets a `change` that lists every flag if anything was saved in the meantime.',
      key: 'secret',
      querystring: FlagStreamQuery,
      headers: FlagStreamHeaders,
      responses: { 200: plainResponse('A stream that stays open', 'text/event-stream') },
      errors: ['wrong_property', 'too_many_streams'],
      exposeHeadRoute: false,
    },
    (request, reply) => {
      const property = auth.property(request, request.query.propertyId);
      streams.open(property, request, reply);
    },
  );
}
