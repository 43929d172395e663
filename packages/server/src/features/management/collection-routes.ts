import {
  ConditionalHeaders,
  DryRun,
  ItemParams,
  PropertyParams,
  Proposed,
  WriteQuery,
} from '@switchyard/core/api/management';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preconditionOf } from '../../http/contract/precondition.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { type Collection, managedCollections, responseOf, versionOf } from './collections.ts';
import { dryRunResponse } from './dry-run.ts';
import { applyItemRequest, type ItemRequest } from './item-request.ts';
import {
  changeManaged,
  changeRequest,
  type ManagementServices,
  PROPERTY_URL,
} from './management-services.ts';
import { proposeIfProtected } from './proposal-guard.ts';

interface ItemRoute {
  Params: ItemParams;
  Headers: ConditionalHeaders;
  Querystring: WriteQuery;
  Body: object;
}

type ItemRouteRequest = FastifyRequest<ItemRoute>;

const ETAG = { etag: { type: 'string', description: 'The version; send it as `If-Match`' } };
export const WRITE_ERRORS = [
  'not_found',
  'version_required',
  'version_conflict',
  'in_use',
  'transition_not_allowed',
] as const;

/** `P/{collection}` and `P/{collection}/{key}`, the same for all lists of a property. */
export function registerCollectionRoutes(api: ApiRoutes, services: ManagementServices): void {
  for (const collection of managedCollections(services.model)) {
    registerList(api, collection, services);
    registerGet(api, collection, services);
    registerPut(api, collection, services);
    registerPatch(api, collection, services);
    registerDelete(api, collection, services);
  }
}

function registerList(
  api: ApiRoutes,
  { type, path, field, noun, response }: Collection,
  { model }: ManagementServices,
): void {
  api.get(
    `${PROPERTY_URL}/${path}`,
    {
      tag: 'Management',
      summary: `The ${noun}s of the property`,
      access: 'viewer',
      params: PropertyParams,
      responses: {
        200: {
          type: 'object',
          title: `${(response as { title: string }).title}List`,
          required: [field],
          properties: { [field]: { type: 'array', items: response } },
          description: 'In the order of their creation',
        },
      },
    },
    ({ managed }) => ({
      [field]: model.itemsOf(managed, type).map((item) => responseOf(model, type, item)),
    }),
  );
}

function registerGet(
  api: ApiRoutes,
  { type, path, noun, response }: Collection,
  { model }: ManagementServices,
): void {
  api.get<Pick<ItemRoute, 'Params'>>(
    `${PROPERTY_URL}/${path}/:key`,
    {
      tag: 'Management',
      summary: `One ${noun}`,
      access: 'viewer',
      params: ItemParams,
      responses: { 200: { ...response, description: `The ${noun}`, headers: ETAG } },
    },
    ({ managed, params }, reply) => {
      const item = model.findItem(managed, type, params.key);
      if (item === undefined) throw new ApiError('not_found');
      return reply.header('etag', `"${versionOf(item)}"`).send(responseOf(model, type, item));
    },
  );
}

/** What PUT and PATCH have in common. */
const writeRoute = (collection: Collection) => ({
  tag: 'Management' as const,
  access: collection.access,
  params: ItemParams,
  headers: ConditionalHeaders,
  querystring: WriteQuery,
  body: ANY_OBJECT,
  documentedBody: collection.body,
  responses: writeResponses(collection),
  errors: WRITE_ERRORS,
});

function registerPut(api: ApiRoutes, collection: Collection, services: ManagementServices): void {
  api.put<ItemRoute>(
    `${PROPERTY_URL}/${collection.path}/:key`,
    {
      ...writeRoute(collection),
      summary: `Create or replace a ${collection.noun}`,
      description:
        'The body has the fields of the provision file; fields that are left out get their defaults. Replacing needs `If-Match`. Changes of other fields since that version are merged.',
    },
    (request, reply) => handleWrite(services, collection, 'PUT', request, reply),
  );
}

function registerPatch(api: ApiRoutes, collection: Collection, services: ManagementServices): void {
  api.patch<ItemRoute>(
    `${PROPERTY_URL}/${collection.path}/:key`,
    {
      ...writeRoute(collection),
      summary: `Change fields of a ${collection.noun}`,
      description: 'A JSON merge patch (RFC 7396): null sets a field to its default. Needs `If-Match`.',
    },
    (request, reply) => handleWrite(services, collection, 'PATCH', request, reply),
  );
}

function registerDelete(api: ApiRoutes, collection: Collection, services: ManagementServices): void {
  api.delete<Omit<ItemRoute, 'Body'>>(
    `${PROPERTY_URL}/${collection.path}/:key`,
    {
      tag: 'Management',
      summary: `Delete a ${collection.noun}`,
      description: 'Needs `If-Match`. Refused with `in_use` while other items refer to it.',
      access: 'admin',
      params: ItemParams,
      headers: ConditionalHeaders,
      querystring: WriteQuery,
      responses: {
        200: { ...DryRun, description: 'With `dryRun`' },
        204: { type: 'null', description: 'Deleted' },
      },
      errors: WRITE_ERRORS,
    },
    (request, reply) => handleWrite(services, collection, 'DELETE', request as ItemRouteRequest, reply),
  );
}

/** What is wrong with a body is reported after read-only fields are removed and a patch is applied. */
const ANY_OBJECT = { type: 'object' };

export const writeResponses = ({ response, noun }: Collection) => ({
  200: {
    anyOf: [response, DryRun],
    description: `The ${noun} after the change, or with \`dryRun\` the differences`,
    headers: ETAG,
  },
  201: { ...response, description: 'Created', headers: ETAG },
  202: {
    ...Proposed,
    description: 'An editor’s change of a protected environment: it waits for approval',
  },
});

async function handleWrite(
  services: ManagementServices,
  collection: Collection,
  method: ItemRequest['method'],
  request: ItemRouteRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return writeItem(services, request, reply, {
    collection,
    key: request.params.key,
    method,
    body: request.body,
    precondition: preconditionOf(request.headers),
  });
}

export async function writeItem(
  services: ManagementServices,
  request: FastifyRequest<Pick<ItemRoute, 'Params' | 'Querystring'>>,
  reply: FastifyReply,
  item: ItemRequest,
): Promise<FastifyReply> {
  const { key, collection } = item;
  const { type } = collection;
  const guard = proposeIfProtected(services.model, request, item);
  const changed = await guard.run(services, () =>
    changeManaged(services, request.managed.id, changeRequest(request), async (input) => {
      const next = await applyItemRequest(input, item, services);
      guard.check(input.current, next);
      return next;
    }),
  );
  if ('proposal' in changed) return reply.code(202).send(changed);
  if (request.query.dryRun) return reply.send(dryRunResponse(services.model, changed, guard.affected));
  const saved = changed.current && services.model.findItem(changed.current, type, key);
  if (saved === undefined) return reply.code(204).send();
  const isNew = changed.changes.some((change) => change.key === key && change.action === 'create');
  reply.code(isNew ? 201 : 200).header('etag', `"${versionOf(saved)}"`);
  const secret = isNew && 'secret' in saved ? { secret: saved.secret } : {};
  return reply.send({ ...responseOf(services.model, type, saved), ...secret });
}
