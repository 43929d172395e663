import {
  DryRun,
  HistoryEntrySchema,
  HistoryPage,
  HistoryParams,
  HistoryQuery,
  PropertyParams,
  RestoreBody,
  WriteQuery,
} from '@switchyard/core/api/management';
import { hasRole } from '@switchyard/core/api/role-order';
import { describeDifferences } from '../../configuration/changes/describe-changes.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { stateAfter } from '../../configuration/history/configuration-at.ts';
import type { HistoryEntry } from '../../configuration/history/history-entry.ts';
import { findHistoryRow, listHistory, toEntry } from '../../configuration/history/history-store.ts';
import type { EntityType } from '../../configuration/property/entities.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { dryRunResponse, withNulls } from './dry-run.ts';
import {
  changeManaged,
  changeRequest,
  type ManagementServices,
  PROPERTY_URL,
} from './management-services.ts';
import { mayEditorRestore, refuseProtected, restoreState } from './restore-state.ts';

const URL = `${PROPERTY_URL}/history`;

export function registerHistoryRoutes(api: ApiRoutes, services: ManagementServices): void {
  registerList(api, services);
  registerRestore(api, services);
}

function registerList(api: ApiRoutes, { database, clock, model }: ManagementServices): void {
  api.get<{ Querystring: HistoryQuery }>(
    URL,
    {
      tag: 'Management',
      summary: 'Every change of the property, newest first',
      description:
        'In the order of the versions. Entries form a chain: each hash covers the entry and the hash before it. `switchyard doctor` verifies it.',
      access: 'viewer',
      params: PropertyParams,
      querystring: HistoryQuery,
      responses: { 200: { ...HistoryPage, description: 'One page' } },
    },
    async ({ managed, query }) => {
      const { entity, limit = 50, cursor, ...filter } = query;
      await clock.check();
      const { rows, hasMore } = await listHistory(database, managed.id, {
        ...filter,
        entity: entity === undefined ? undefined : entityType(model, entity),
        before: cursor === undefined ? undefined : Number(cursor),
        limit,
      });
      const last = hasMore ? rows.at(-1) : undefined;
      return {
        history: rows.map((row) => entryResponse(model, toEntry(row), managed)),
        nextCursor: last === undefined ? null : String(last.sequence),
      };
    },
  );
}

/** Also accepts the names of collections, like `flags`. */
function entityType(model: ConfigurationModel, name: string): EntityType {
  const singular = name.replace(/s$/, '');
  const found = [...model.types, 'property' as const].find((type) => type === name || type === singular);
  if (found !== undefined) return found;
  const detail = `must be one of property, ${model.types.join(', ')}`;
  throw new ApiError('invalid_request', {
    message: `/entity ${detail}.`,
    fields: [{ pointer: '/entity', code: 'enum', detail }],
  });
}

/** The words are made from the changed fields alone, so that a page needs no other state. */
function entryResponse(
  model: ConfigurationModel,
  { propertyId: _propertyId, sequence: _sequence, ...entry }: HistoryEntry,
  names: PropertyConfiguration,
): object {
  const { entity, action, changes } = entry;
  const summary = describeDifferences(model, entity, action, changes, names);
  return { ...entry, changes: changes.map(withNulls), summary };
}

function registerRestore(api: ApiRoutes, services: ManagementServices): void {
  api.post<{ Params: HistoryParams; Body: RestoreBody; Querystring: WriteQuery }>(
    `${URL}/:entryId/restore`,
    {
      tag: 'Management',
      summary: 'Restore the item of an entry to its state before or after that entry',
      description:
        'A new change like any other: it is checked by the same rules and written to the history. Only an admin can restore what an editor may not change.',
      access: 'editor',
      params: HistoryParams,
      querystring: WriteQuery,
      body: RestoreBody,
      bodyOptional: true,
      responses: {
        200: {
          anyOf: [HistoryEntrySchema, DryRun],
          description: 'The new entry, or with `dryRun` the differences',
        },
      },
      errors: ['not_found', 'not_restorable', 'in_use'],
    },
    async (request, reply) => {
      const { managed, params, body, query } = request;
      const row = await findHistoryRow(services.database, managed.id, params.entryId);
      if (row === undefined) throw new ApiError('not_found');
      const sequence = body.state === 'after' ? row.sequence : row.sequence - 1;
      const state = await stateAfter(services.database, services.model, managed.id, sequence);
      const entity = { type: row.entity_type, key: row.entity_key };
      const isAdmin = hasRole(request.caller.roleIn(managed), 'admin');
      if (!isAdmin && !mayEditorRestore(services.model, entity, state)) throw new ApiError('role_required');
      const by = changeRequest(request);
      const comment = by.comment ?? `Restores the state ${body.state ?? 'before'} ${row.id}`;
      const changed = await changeManaged(services, managed.id, { ...by, comment }, async (input) => {
        const next = await restoreState(input, entity, state, services);
        if (!isAdmin) refuseProtected(services.model, input.current, next);
        return next;
      });
      if (query.dryRun) return dryRunResponse(services.model, changed);
      const entry = changed.entries.find(
        ({ entity: each }) => each.type === entity.type && each.key === entity.key,
      );
      if (entry === undefined) {
        throw new ApiError('not_restorable', { message: 'The item is already in this state.' });
      }
      return reply.send(entryResponse(services.model, entry, managed));
    },
  );
}
