import {
  ConditionalHeaders,
  DryRun,
  IdempotencyHeaders,
  ManagedProperty,
  NewProperty,
  PropertyList,
  PropertyParams,
  PropertySettings,
  WriteQuery,
} from '@switchyard/core/api/management';
import { merge } from '@switchyard/core/merge/merge';
import type { FastifyRequest } from 'fastify';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { NO_KEYS } from '../../configuration/definitions/rule-context.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { type Precondition, preconditionOf } from '../../http/contract/precondition.ts';
import { invalidFields } from '../../http/contract/validation.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';
import { editable } from './collections.ts';
import { dryRunOfDeletion, dryRunResponse } from './dry-run.ts';
import {
  changeManaged,
  changeRequest,
  type ManagementServices,
  PROPERTY_URL,
} from './management-services.ts';
import { completeSettings, patchSettings, READ_ONLY_SETTINGS } from './property-settings.ts';
import { type ChangeInputOf, resolveChange } from './resolve-change.ts';
import { schemaErrors } from './schema-errors.ts';

const LIST_URL = '/v1/manage/properties';

interface Services extends ManagementServices {
  properties: () => PropertyConfiguration[];
  eventCount: (propertyId: string) => Promise<number>;
}

interface PropertyRoute {
  Headers: ConditionalHeaders;
  Querystring: WriteQuery;
  Body: object;
}

export function registerPropertyRoutes(api: ApiRoutes, services: Services): void {
  registerList(api, services);
  registerCreate(api, services);
  registerGet(api, services);
  registerPatch(api, services);
  registerDelete(api, services);
}

function registerList(api: ApiRoutes, { properties }: Services): void {
  api.get(
    LIST_URL,
    {
      tag: 'Management',
      summary: 'The properties that you may see',
      access: 'account',
      responses: { 200: { ...PropertyList, description: 'With your role in each' } },
    },
    ({ caller }) => ({
      properties: properties().flatMap((property) => {
        const role = caller.roleIn(property);
        const { id, name, version, createdAt } = property;
        return role === undefined ? [] : [{ id, name, role, version, createdAt }];
      }),
    }),
  );
}

function registerCreate(api: ApiRoutes, services: Services): void {
  api.post<{ Body: NewProperty; Querystring: WriteQuery }>(
    LIST_URL,
    {
      tag: 'Management',
      summary: 'Create a property',
      access: 'owner',
      headers: IdempotencyHeaders,
      querystring: WriteQuery,
      body: NewProperty,
      responses: {
        200: { ...DryRun, description: 'With `dryRun`' },
        201: { ...ManagedProperty, description: 'Created' },
      },
      errors: ['already_exists', 'property_being_deleted', 'idempotency_in_flight', 'idempotency_key_reused'],
    },
    (request, reply) =>
      services.idempotency.run(request, reply, async (record) => {
        const { id, name, timeZone, retentionDays } = request.body;
        const given = {
          id,
          ...(name !== undefined && { name }),
          ...(timeZone !== undefined && { timeZone }),
          ...(retentionDays !== undefined && { retentionDays }),
        };
        const by = changeRequest(request);
        const changed = await services.writer.changeProperty(id, by, async (input) => {
          const { current, now, nextVersion: version, database } = input;
          if (current !== undefined) throw new ApiError('already_exists');
          const { property } = services.resolve(given, undefined, {
            ...NO_KEYS,
            now,
            mode: 'merge',
            report: (pointer, problem) => {
              throw invalidField(pointer, problem);
            },
          });
          if (!by.dryRun) {
            await record(database, {
              status: 201,
              response: responseOf(services.model, { ...property, version }),
            });
          }
          return property;
        });
        if (by.dryRun) return reply.send(dryRunResponse(services.model, changed));
        const created = changed.current!;
        return reply
          .code(201)
          .header('etag', `"${created.version}"`)
          .send(responseOf(services.model, created));
      }),
  );
}

const responseOf = (model: ConfigurationModel, property: PropertyConfiguration) => ({
  ...model.propertyDocument(property),
  version: property.version,
});

function registerGet(api: ApiRoutes, { model }: Services): void {
  api.get(
    PROPERTY_URL,
    {
      tag: 'Management',
      summary: 'The settings of a property',
      access: 'viewer',
      params: PropertyParams,
      responses: { 200: { ...ManagedProperty, description: 'Settings' } },
    },
    ({ managed }, reply) => reply.header('etag', `"${managed.version}"`).send(responseOf(model, managed)),
  );
}

function registerPatch(api: ApiRoutes, services: Services): void {
  api.patch<PropertyRoute>(
    PROPERTY_URL,
    {
      tag: 'Management',
      summary: 'Change settings of a property',
      description:
        'A JSON merge patch (RFC 7396): null sets a field to its default, and `retentionDays` to forever. Needs `If-Match`; the version of a property counts every change, so changes of other fields are merged.',
      access: 'admin',
      params: PropertyParams,
      headers: ConditionalHeaders,
      querystring: WriteQuery,
      body: { type: 'object' },
      documentedBody: PropertySettings,
      responses: {
        200: {
          anyOf: [ManagedProperty, DryRun],
          description: 'The settings after the change, or with `dryRun` the differences',
        },
      },
      errors: ['version_required', 'version_conflict'],
    },
    async (request, reply) => {
      const precondition = preconditionOf(request.headers);
      if (precondition.version === undefined) throw new ApiError('version_required');
      const changed = await changeManaged(
        services,
        request.managed.id,
        changeRequest(request),
        async (input) => {
          const settings = await patchedSettings(services.model, input, request, precondition);
          return resolveChange(
            input,
            completeSettings(input.current.id, settings),
            'merge',
            '',
            services.resolve,
          );
        },
      );
      if (request.query.dryRun) return dryRunResponse(services.model, changed);
      const { current } = changed;
      if (current === undefined) throw new ApiError('not_found');
      return reply.header('etag', `"${current.version}"`).send(responseOf(services.model, current));
    },
  );
}

async function patchedSettings(
  model: ConfigurationModel,
  { current, documentAtVersion }: ChangeInputOf,
  { body }: FastifyRequest<PropertyRoute>,
  { version }: Precondition,
) {
  const theirs = model.propertyDocument(current);
  const patch = { ...editable(READ_ONLY_SETTINGS, body), ...nullsOf(body as object) };
  const isCurrent = version === 'any' || version === current.version;
  const base = isCurrent ? theirs : await documentAtVersion('property', current.id, Number(version));
  if (base === undefined) throw conflict(model, current, ['']);
  const mine = patchSettings({ ...theirs, ...base }, patch);
  if (mine.id !== current.id) {
    const detail = `must be "${current.id}", as in the URL`;
    throw invalidFields([{ pointer: '/id', code: 'invalid', detail }]);
  }
  const errors = schemaErrors(PropertySettings, editable(READ_ONLY_SETTINGS, mine));
  if (errors.length > 0) throw invalidFields(errors);
  const { merged, conflicts } = merge(base, mine, theirs);
  if (conflicts.length > 0) throw conflict(model, current, conflicts);
  return merged as typeof mine;
}

const nullsOf = (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => value === null && name !== 'hashSeed'));

function conflict(model: ConfigurationModel, property: PropertyConfiguration, conflicts: string[]): ApiError {
  return new ApiError('version_conflict', { details: { current: responseOf(model, property), conflicts } });
}

function registerDelete(api: ApiRoutes, services: Services): void {
  api.delete<Omit<PropertyRoute, 'Body'>>(
    PROPERTY_URL,
    {
      tag: 'Management',
      summary: 'Delete a property',
      description:
        'Deletes all its items, keys and memberships, and in the background its events; its history stays. Needs `If-Match` with the current version. `dryRun` says how many events will be deleted, `/v1/manage/property-deletions` how many are left. The id cannot be used again before that.',
      access: 'admin',
      params: PropertyParams,
      headers: ConditionalHeaders,
      querystring: WriteQuery,
      responses: {
        200: { ...DryRun, description: 'With `dryRun`' },
        204: { type: 'null', description: 'Deleted' },
      },
      errors: ['version_required', 'version_conflict'],
    },
    async (request, reply) => {
      const { version } = preconditionOf(request.headers);
      if (version === undefined) throw new ApiError('version_required');
      const { id } = request.managed;
      const changed = await changeManaged(services, id, changeRequest(request), ({ current }) => {
        if (version !== 'any' && version !== current.version) throw conflict(services.model, current, ['']);
        return undefined;
      });
      if (!request.query.dryRun) return reply.code(204).send();
      return dryRunOfDeletion(services.model, changed, await services.eventCount(id));
    },
  );
}
