import {
  EvaluateBody,
  Evaluations,
  FlagList,
  FlagListQuery,
  FlagStreamQuery,
} from '@switchyard/core/api/flags';
import type { FastifyInstance } from 'fastify';
import { describeRoute, plainAnswer } from '../../http/api-description.ts';
import type { Authentication } from '../../http/authentication.ts';
import { inSteps } from '../../http/request-steps.ts';
import { derivePerProperty, type PropertyConfiguration } from '../../storage/property-configuration.ts';
import { evaluationsJson, type FindIdentity, flagsIn, withIdentity } from './flag-evaluator.ts';
import type { FlagStreams } from './flag-streams.ts';

interface Dependencies {
  auth: Authentication;
  findIdentity: FindIdentity;
  streams: FlagStreams;
}

export function registerFlagRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  registerEvaluate(app, dependencies);
  registerList(app, dependencies);
  registerStream(app, dependencies);
}

function registerEvaluate(app: FastifyInstance, { auth, findIdentity }: Dependencies): void {
  app.post<{ Body: EvaluateBody }>(
    '/v1/flags/evaluate',
    {
      onRequest: inSteps(auth.requires('secret')),
      schema: describeRoute({
        tag: 'Flags',
        summary: 'Evaluate flags for a context',
        key: 'secret',
        body: EvaluateBody,
        answers: { 200: { ...Evaluations, description: 'The answer of each flag' } },
        errors: ['wrong_property', 'environment_not_found'],
      }),
    },
    (request, reply) => {
      const { propertyId, environment = 'production', context = {}, flagKeys } = request.body;
      const flags = flagsIn(auth.property(request, propertyId), environment);
      const answer = (complete: Record<string, unknown>) =>
        reply.type('application/json; charset=utf-8').send(evaluationsJson(flags, complete, flagKeys));
      const complete = withIdentity(propertyId, context, findIdentity);
      return complete instanceof Promise ? complete.then(answer) : answer(complete);
    },
  );
}

function registerList(app: FastifyInstance, { auth }: Dependencies): void {
  app.get<{ Querystring: FlagListQuery }>(
    '/v1/flags/list',
    {
      onRequest: inSteps(auth.requires('secret')),
      schema: describeRoute({
        tag: 'Flags',
        summary: 'All flags and their configurations per environment',
        key: 'secret',
        querystring: FlagListQuery,
        answers: { 200: { ...FlagList, description: 'Flags and configurations' } },
        errors: ['wrong_property'],
      }),
    },
    (request, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .send(listJson(auth.property(request, request.query.propertyId))),
  );
}

const listJson = derivePerProperty((property: PropertyConfiguration): string => {
  const flags: FlagList['flags'] = property.flags.map(
    ({ id, key, name, description, type, defaultValue, createdAt }) => ({
      id,
      key,
      name,
      ...(description === undefined ? {} : { description }),
      type,
      defaultValue,
      createdAt,
    }),
  );
  const configs: FlagList['configs'] = property.flags.flatMap((flag) =>
    flag.configurations.map(({ id, environmentId, enabled, value, rules, prerequisites }) => ({
      id,
      flagId: flag.id,
      environmentId,
      enabled,
      value,
      rules,
      ...(prerequisites.length === 0 ? {} : { prerequisites }),
    })),
  );
  return JSON.stringify({ flags, configs } satisfies FlagList);
});

function registerStream(app: FastifyInstance, { auth, streams }: Dependencies): void {
  app.get<{ Querystring: { propertyId: string } }>(
    '/v1/flags/stream',
    {
      // A HEAD request would wait for an end that never comes.
      exposeHeadRoute: false,
      onRequest: inSteps(auth.requires('secret')),
      schema: describeRoute({
        tag: 'Flags',
        summary: 'Server-sent events: one `change` per saved change',
        description:
          'The data of a `change` is `{"propertyId", "version", "flags"}`, where `flags` names the keys that changed. Fetch the list again when it arrives, and after each reconnection.',
        key: 'secret',
        querystring: FlagStreamQuery,
        answers: { 200: plainAnswer('A stream that stays open', 'text/event-stream') },
        errors: ['wrong_property'],
      }),
    },
    (request, reply) => {
      const property = auth.property(request, request.query.propertyId);
      reply.hijack();
      streams.open(property.id, request, reply);
    },
  );
}
