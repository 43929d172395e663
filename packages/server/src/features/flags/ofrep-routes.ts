import {
  OfrepBody,
  OfrepBulk,
  OfrepEvaluation,
  type OfrepFailure,
  OfrepFailure as OfrepFailureSchema,
  OfrepHeaders,
  OfrepParams,
} from '@switchyard/core/api/ofrep';
import type { Evaluation, FlagSet } from '@switchyard/core/evaluation/flags';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../../errors.ts';
import { preparedResponses } from '../../http/api-description.ts';
import type { ApiRoutes } from '../../http/api-routes.ts';
import type { Authentication } from '../../http/authentication.ts';
import { etagOf, isUnchanged } from '../../http/etag.ts';
import { asApiError, sendProblem } from '../../http/problem.ts';
import { PRODUCTION, type PropertyConfiguration } from '../../storage/property-configuration.ts';
import { type Context, type FindIdentity, flagsIn, withIdentity } from './flag-evaluator.ts';

interface Dependencies {
  auth: Authentication;
  findIdentity: FindIdentity;
}

interface Asked {
  property: PropertyConfiguration;
  flags: FlagSet;
  context: Context;
}

type OfrepRequest = FastifyRequest<{ Body: OfrepBody }>;

/** OpenFeature Remote Evaluation Protocol; the key names the property, the header `x-environment` the environment. */
export function registerOfrepRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  registerSingle(api, dependencies);
  registerBulk(api, dependencies);
}

const description =
  'The API key names the property; the header `x-environment` the environment. The key may also come as `Authorization: Bearer`; `x-api-key` wins where both are sent.';

/** What clients of the protocol expect beyond our own API. */
const PROTOCOL = {
  bearer: true,
  doubledSlash: true,
  // Without a context there need not be a body.
  bodyOptional: true,
  errorHandler: answerFailure,
} as const;

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
        200: { ...OfrepEvaluation, description: 'The value' },
        400: failure('The request cannot be evaluated'),
        404: failure('There is no such flag'),
      },
      errors: ['storage_damaged'],
      ...PROTOCOL,
    },
    async (request, reply) => {
      const { flags, context } = await ask(request, dependencies);
      const { key } = request.params;
      const evaluation = flags.evaluate(key, context);
      if (evaluation !== undefined) return answer(key, evaluation);
      return fail(reply, 404, { key, errorCode: 'FLAG_NOT_FOUND', errorDetails: 'There is no such flag.' });
    },
  );
}

function registerBulk(api: ApiRoutes, dependencies: Dependencies): void {
  api.post<{ Body: OfrepBody }>(
    '/ofrep/v1/evaluate/flags',
    {
      tag: 'OpenFeature',
      summary: 'Evaluate all flags (OFREP)',
      description: `${description} The \`ETag\` of the answer, sent back in \`If-None-Match\`, gives 304 while nothing has changed for the context.`,
      key: 'secret',
      headers: OfrepHeaders,
      body: OfrepBody,
      responses: {
        ...preparedResponses({ ...OfrepBulk, description: 'The values' }),
        400: failure('The request cannot be evaluated'),
      },
      errors: ['storage_damaged'],
      ...PROTOCOL,
    },
    async (request, reply) => {
      const { property, flags, context } = await ask(request, dependencies);
      const evaluations: ReturnType<typeof answer>[] = [];
      flags.evaluateEach(context, (key, evaluation) => evaluations.push(answer(key, evaluation)));
      const body = JSON.stringify({ flags: evaluations, metadata: { version: property.version } });
      const etag = etagOf(body);
      reply.header('etag', etag);
      if (isUnchanged(request, etag)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );
}

async function ask(request: OfrepRequest, { auth, findIdentity }: Dependencies): Promise<Asked> {
  const property = auth.property(request, request.apiKey.propertyId);
  const environment = request.headers['x-environment'];
  const flags = flagsIn(property, typeof environment === 'string' ? environment : PRODUCTION.id);
  const context = await withIdentity(property.id, request.body.context ?? {}, findIdentity);
  return { property, flags, context };
}

function answer(key: string, { value, reason, ruleId, version }: Evaluation) {
  return { key, value, reason, variant: ruleId ?? 'default', metadata: { version } };
}

function fail(reply: FastifyReply, status: 400 | 404, body: OfrepFailure): FastifyReply {
  return reply.code(status).send(body);
}

/** What the protocol gives a shape of its own; the rest are problems as everywhere. */
function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem: ApiError = asApiError(error);
  const key = (request.params as { key?: string } | undefined)?.key;
  const named = key === undefined ? {} : { key };
  switch (problem.code) {
    case 'invalid_json':
      return fail(reply, 400, { ...named, errorCode: 'PARSE_ERROR', errorDetails: problem.message });
    case 'invalid_request':
      return fail(reply, 400, { ...named, errorCode: 'INVALID_CONTEXT', errorDetails: problem.message });
    case 'environment_not_found':
      return fail(reply, 400, { ...named, errorCode: 'GENERAL', errorDetails: problem.message });
    default:
      return sendProblem(error, request, reply);
  }
}
