import {
  OfrepBody,
  OfrepBulk,
  OfrepEvaluation,
  type OfrepFailure,
  OfrepFailure as OfrepFailureSchema,
  OfrepHeaders,
  OfrepParams,
} from '@switchyard/core/api/ofrep';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  PRODUCTION,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import { preparedResponses } from '../../http/contract/api-description.ts';
import { sendPrepared } from '../../http/contract/etag.ts';
import type { HotReply, HotRequest } from '../../http/contract/hot-route.ts';
import { asApiError, sendProblem } from '../../http/contract/problem.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import type { ApiError } from '../../platform/errors/errors.ts';
import type { ExposureRecorder } from './exposure-recorder.ts';
import {
  type Context,
  type EnvironmentFlags,
  type FindIdentity,
  type FlagEvaluator,
  flagsIn,
  withIdentity,
} from './flag-evaluator.ts';

interface Dependencies {
  auth: Authentication;
  evaluator: FlagEvaluator;
  exposures: ExposureRecorder;
  findIdentity: FindIdentity;
}

interface EvaluationInput {
  property: PropertyConfiguration;
  flags: EnvironmentFlags;
  /** Whether evaluations of measured rules are recorded. */
  record: boolean;
  /** A promise if the visitor of its session has to be looked up. */
  context: Context | Promise<Context>;
}

type OfrepRequest = HotRequest<{ Body: OfrepBody }>;

/** OpenFeature Remote Evaluation Protocol. */
export function registerOfrepRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerSingle(api, dependencies);
  registerBulk(api, dependencies);
}

const description =
  'The API key determines the property, the `x-environment` header the environment. With `x-record: true`, evaluations of measured rules are stored before the response. If they cannot be stored, because events cannot be at present, the flags are evaluated all the same, and the response has the header `x-record: failed`. The key can also be sent as `Authorization: Bearer`; if both are sent, `x-api-key` takes precedence.';

/** Options that clients of the protocol need, unlike those of our own API. */
const PROTOCOL = {
  bearer: true,
  anyQuery: true,
  doubledSlash: true,
  // A request without a context needs no body.
  bodyOptional: true,
  errorHandler: sendFailure,
} as const;

/** The name of the header with which recording is asked for, and with which the response says that it has failed. */
const RECORD = 'x-record';
const RESPONSE_HEADERS = {
  [RECORD]: {
    type: 'string',
    enum: ['failed'],
    description:
      'Only if evaluations of measured rules were to be recorded, but could not be stored: they do not count',
  },
};

const BULK_RESPONSES = preparedResponses({ ...OfrepBulk, description: 'The values' }, RESPONSE_HEADERS);

const failure = (text: string) => ({ ...OfrepFailureSchema, description: text });

function registerSingle(api: ApiRoutes, dependencies: Dependencies): void {
  api.post<{ Params: { key: string }; Body: OfrepBody }>(
    '/ofrep/v1/evaluate/flags/:key',
    {
      tag: 'OpenFeature',
      summary: 'Evaluate one flag (OFREP)',
      description,
      key: 'secret',
      params: OfrepParams,
      headers: OfrepHeaders,
      body: OfrepBody,
      responses: {
        200: { ...OfrepEvaluation, description: 'The value', headers: RESPONSE_HEADERS },
        400: failure('The request cannot be evaluated'),
        404: failure('There is no such flag'),
      },
      errors: ['storage_damaged', 'event_store_unavailable'],
      ...PROTOCOL,
    },
    async (request, reply) => {
      const { property, flags, context, record } = evaluationInput(request, dependencies);
      const { key } = request.params;
      const complete = await context;
      const json = dependencies.evaluator.ofrepJson(flags, key, complete);
      if (record)
        noteFailure(reply, await dependencies.exposures.evaluated(property, flags, complete, [key]));
      if (json !== undefined) return reply.type('application/json; charset=utf-8').send(json);
      return fail(reply, 404, { key, errorCode: 'FLAG_NOT_FOUND', errorDetails: 'There is no such flag.' });
    },
  );
}

function registerBulk(api: ApiRoutes, dependencies: Dependencies): void {
  api.hot<{ Body: OfrepBody }>(
    'POST',
    '/ofrep/v1/evaluate/flags',
    {
      tag: 'OpenFeature',
      summary: 'Evaluate all flags (OFREP)',
      description: `${description} Send the \`ETag\` of a response in \`If-None-Match\` to get 304 while nothing has changed for the context.`,
      key: 'secret',
      headers: OfrepHeaders,
      body: OfrepBody,
      responses: {
        ...BULK_RESPONSES,
        304: { ...BULK_RESPONSES[304], headers: RESPONSE_HEADERS },
        400: failure('The request cannot be evaluated'),
      },
      errors: ['storage_damaged', 'event_store_unavailable'],
      ...PROTOCOL,
    },
    (request, reply) => {
      const { property, flags, context, record } = evaluationInput(request, dependencies);
      const send = (complete: Context) => {
        const { json, tag } = dependencies.evaluator.ofrepList(flags, complete);
        const { version } = property;
        const body = `{"flags":[${json}],"metadata":{"version":${version}}}`;
        const stored = record ? dependencies.exposures.evaluated(property, flags, complete) : undefined;
        const respond = (isStored?: boolean) => {
          noteFailure(reply, isStored);
          return sendPrepared(request, reply, { body, etag: tag.etag(version) });
        };
        return stored === undefined ? respond() : stored.then(respond);
      };
      return context instanceof Promise ? context.then(send) : send(context);
    },
  );
}

/** @param isStored undefined if there was nothing to record */
function noteFailure(reply: Pick<HotReply, 'header'>, isStored: boolean | undefined): void {
  if (isStored === false) reply.header(RECORD, 'failed');
}

function evaluationInput(request: OfrepRequest, { auth, findIdentity }: Dependencies): EvaluationInput {
  const property = auth.property(request, request.apiKey.propertyId);
  const environment = request.headers['x-environment'];
  const flags = flagsIn(property, typeof environment === 'string' ? environment : PRODUCTION.id);
  const context = withIdentity(property.id, request.body.context ?? {}, findIdentity);
  const given = request.headers[RECORD];
  const record = given === undefined ? property.recordEvaluations === true : given === 'true';
  return { property, flags, context, record };
}

function fail(reply: FastifyReply, status: 400 | 404, body: OfrepFailure): FastifyReply {
  return reply.code(status).send(body);
}

/** Errors for which the protocol defines a format; all others are sent as problems, as everywhere else. */
function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem: ApiError = asApiError(error);
  const key = (request.params as { key?: string } | undefined)?.key;
  const flag = key === undefined ? {} : { key };
  switch (problem.code) {
    case 'invalid_json':
      return fail(reply, 400, { ...flag, errorCode: 'PARSE_ERROR', errorDetails: problem.message });
    case 'invalid_request':
      return fail(reply, 400, { ...flag, errorCode: 'INVALID_CONTEXT', errorDetails: problem.message });
    case 'environment_not_found':
      return fail(reply, 400, { ...flag, errorCode: 'GENERAL', errorDetails: problem.message });
    default:
      return sendProblem(error, request, reply);
  }
}
