import {
  DryRun,
  IdempotencyHeaders,
  KeyList,
  KeyParams,
  ManagedKey,
  NewKey,
  PropertyParams,
  WriteQuery,
} from '@switchyard/core/api/management';
import type { FastifyRequest } from 'fastify';
import type { ApiKey } from '../../configuration/property/property-configuration.ts';
import type { Changed, ConfigurationWriter } from '../../configuration/writer/configuration-writer.ts';
import type { IdempotentCreation } from '../../http/contract/idempotent-creation.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { newKey } from './key-rules.ts';

interface Services {
  writer: ConfigurationWriter;
  idempotency: IdempotentCreation;
  /** When each key was last used; missing: never. */
  lastUsed: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  dryRunResponse: (changed: Changed) => object;
}

const URL = '/v1/manage/properties/:propertyId/keys';

/** The API keys of a property. */
export function registerKeyManagementRoutes(api: ApiRoutes, services: Services): void {
  registerList(api, services);
  registerCreate(api, services);
  registerDelete(api, services);
}

function keyResponse(key: ApiKey, lastUsedAt: number | null, text: string | null = key.publicKey): object {
  const { id, kind, name, prefix, lastFour, createdAt } = key;
  return { id, kind, name, prefix, lastFour, createdAt, lastUsedAt, key: text };
}

function registerList(api: ApiRoutes, { lastUsed }: Services): void {
  api.get(
    URL,
    {
      tag: 'Management',
      summary: 'The API keys of the property',
      access: 'viewer',
      params: PropertyParams,
      responses: { 200: { ...KeyList, description: 'In the order of their creation' } },
    },
    async ({ managed: { apiKeys } }) => {
      const used = await lastUsed(apiKeys.map(({ id }) => id));
      return { keys: apiKeys.map((key) => keyResponse(key, used.get(key.id) ?? null)) };
    },
  );
}

const changedBy = ({ caller: { actor, via }, query }: FastifyRequest<{ Querystring: WriteQuery }>) => ({
  actor,
  via,
  comment: query.comment ?? null,
  dryRun: query.dryRun === true,
});

function registerCreate(api: ApiRoutes, { writer, idempotency, dryRunResponse }: Services): void {
  api.post<{ Body: NewKey; Querystring: WriteQuery }>(
    URL,
    {
      tag: 'Management',
      summary: 'Create an API key',
      description: 'A secret key is shown only in this response.',
      access: 'admin',
      params: PropertyParams,
      headers: IdempotencyHeaders,
      querystring: WriteQuery,
      body: NewKey,
      responses: {
        200: { ...DryRun, description: 'With `dryRun`' },
        201: { ...ManagedKey, description: 'Created' },
      },
      errors: ['already_exists', 'idempotency_in_flight', 'idempotency_key_reused'],
    },
    (request, reply) =>
      idempotency.run(request, reply, async (record) => {
        const { kind, name } = request.body;
        const propertyId = request.managed.id;
        const created = newKey({ propertyId, kind, name, now: Date.now() });
        const changed = await writer.changeProperty(propertyId, changedBy(request), async (input) => {
          const { current, database } = input;
          if (current === undefined) throw new ApiError('not_found');
          if (current.apiKeys.some((key) => key.kind === kind && key.name === name)) {
            const message = `There is already a ${kind} key named "${name}". Choose another name.`;
            throw new ApiError('already_exists', { message });
          }
          // A repeated request gets the key without its text, which is not stored.
          if (!request.query.dryRun) {
            await record(database, { status: 201, response: keyResponse(created.key, null) });
          }
          return { ...current, apiKeys: [...current.apiKeys, created.key] };
        });
        if (request.query.dryRun) return reply.send(dryRunResponse(changed));
        return reply.code(201).send(keyResponse(created.key, null, created.text));
      }),
  );
}

function registerDelete(api: ApiRoutes, { writer, dryRunResponse }: Services): void {
  api.delete<{ Params: KeyParams; Querystring: WriteQuery }>(
    `${URL}/:keyId`,
    {
      tag: 'Management',
      summary: 'Delete an API key',
      description: 'It stops working at once.',
      access: 'admin',
      params: KeyParams,
      querystring: WriteQuery,
      responses: {
        200: { ...DryRun, description: 'With `dryRun`' },
        204: { type: 'null', description: 'Deleted' },
      },
    },
    async (request, reply) => {
      const { keyId } = request.params;
      const changed = await writer.changeProperty(request.managed.id, changedBy(request), ({ current }) => {
        if (!current?.apiKeys.some((key) => key.id === keyId)) throw new ApiError('not_found');
        return { ...current, apiKeys: current.apiKeys.filter((key) => key.id !== keyId) };
      });
      return request.query.dryRun ? reply.send(dryRunResponse(changed)) : reply.code(204).send();
    },
  );
}
