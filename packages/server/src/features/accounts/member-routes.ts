import { ConditionalHeaders, DryRun, WriteQuery } from '@switchyard/core/api/management';
import {
  ManagedPropertyParams,
  MemberBody,
  MemberParams,
  MemberRemoved,
  PropertyMember,
  PropertyMembers,
} from '@switchyard/core/api/members';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../configuration/database/database.ts';
import type { Member } from '../../configuration/property/property-configuration.ts';
import { preconditionOf } from '../../http/contract/precondition.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { AccountServices } from './account-services.ts';
import { deleteSessions } from './account-session-store.ts';
import { findAccount } from './account-store.ts';

const URL = '/v1/manage/properties/:propertyId/members';

export function registerMemberRoutes(api: ApiRoutes, services: AccountServices): void {
  registerList(api, services);
  registerPut(api, services);
  registerDelete(api, services);
}

interface MemberRoute {
  Params: MemberParams;
  Headers: ConditionalHeaders;
  Querystring: WriteQuery;
}

const changedBy = ({ caller: { actor, via }, query }: FastifyRequest<{ Querystring: WriteQuery }>) => ({
  actor,
  via,
  comment: query.comment ?? null,
  dryRun: query.dryRun === true,
});

function registerList(api: ApiRoutes, { database }: AccountServices): void {
  api.get(
    URL,
    {
      tag: 'Management',
      summary: 'Members of the property',
      access: 'viewer',
      params: ManagedPropertyParams,
      responses: { 200: { ...PropertyMembers, description: 'In the order in which they joined' } },
    },
    async ({ managed }): Promise<PropertyMembers> => ({
      members: await listWithAccounts(database, managed.id),
    }),
  );
}

function registerPut(api: ApiRoutes, { database, members, dryRunResponse }: AccountServices): void {
  api.put<MemberRoute & { Body: MemberBody }>(
    `${URL}/:accountId`,
    {
      tag: 'Management',
      summary: 'Add an account to the property, or change its role',
      access: 'admin',
      params: MemberParams,
      headers: ConditionalHeaders,
      querystring: WriteQuery,
      body: MemberBody,
      responses: {
        200: { anyOf: [PropertyMember, DryRun], description: 'Changed, or with `dryRun` the differences' },
        201: { ...PropertyMember, description: 'Added' },
      },
      errors: ['version_conflict'],
    },
    async (request, reply) => {
      const { managed, params, body } = request;
      const account = await findAccount(database, params.accountId);
      if (account === undefined) throw new ApiError('not_found', { message: 'There is no such account.' });
      const check = checkVersion(request, '/role');
      const changed = await members.saveMember(managed.id, account.id, body.role, changedBy(request), check);
      if (request.query.dryRun) return reply.send(dryRunResponse(changed));
      const isNew = changed.changes.some(({ action }) => action === 'create');
      const [saved] = await listWithAccounts(database, managed.id, account.id);
      if (saved === undefined) throw new ApiError('not_found');
      return reply
        .code(isNew ? 201 : 200)
        .header('etag', `"${saved.version}"`)
        .send(saved);
    },
  );
}

function registerDelete(api: ApiRoutes, services: AccountServices): void {
  const { database, members, dryRunResponse, accessChanged } = services;
  api.delete<MemberRoute>(
    `${URL}/:accountId`,
    {
      tag: 'Management',
      summary: 'Remove a member',
      description: 'Takes effect at once. If the account has no other property, its sessions end.',
      access: 'admin',
      params: MemberParams,
      headers: ConditionalHeaders,
      querystring: WriteQuery,
      responses: {
        200: { anyOf: [MemberRemoved, DryRun], description: 'Removed, or with `dryRun` the differences' },
      },
      errors: ['version_conflict'],
    },
    async (request) => {
      const { managed, params } = request;
      const check = checkVersion(request, '');
      const changed = await members.removeMember(managed.id, params.accountId, changedBy(request), check);
      if (request.query.dryRun) return dryRunResponse(changed);
      if (!(await hasAccess(database, params.accountId))) {
        await deleteSessions(database, params.accountId);
        await accessChanged();
      }
      return { success: true };
    },
  );
}

/** `If-Match` is optional here: a membership has only one field. */
function checkVersion({ managed, params, headers }: FastifyRequest<MemberRoute>, pointer: string) {
  const { version, createOnly } = preconditionOf(headers);
  return async (database: Database, known: Member | undefined) => {
    if (known === undefined) {
      if (version !== undefined)
        throw new ApiError('not_found', { message: 'The property has no such member.' });
      return;
    }
    if (!createOnly && (version === undefined || version === 'any' || version === known.version)) return;
    const [current] = await listWithAccounts(database, managed.id, params.accountId);
    throw new ApiError('version_conflict', {
      ...(createOnly && { message: 'The account is already a member.' }),
      details: { current: current ?? {}, conflicts: createOnly ? [] : [pointer] },
    });
  };
}

/** Roles are checked for every request, so sessions only have to end when there is nothing left to see. */
async function hasAccess(database: Database, accountId: string): Promise<boolean> {
  if ((await findAccount(database, accountId))?.isOwner) return true;
  const membership = await database
    .selectFrom('members')
    .select('property_id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  return membership !== undefined;
}

async function listWithAccounts(
  database: Database,
  propertyId: string,
  accountId?: string,
): Promise<PropertyMember[]> {
  let query = database
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select([
      'accounts.id as accountId',
      'accounts.email as email',
      'accounts.name as name',
      'members.role as role',
      'accounts.disabled_at as disabledAt',
      'members.created_at as createdAt',
      'members.version as version',
    ])
    .where('members.property_id', '=', propertyId)
    .orderBy('members.position');
  if (accountId !== undefined) query = query.where('members.account_id', '=', accountId);
  const rows = await query.execute();
  return rows.map(({ disabledAt, ...member }) => ({ ...member, disabled: disabledAt !== null }));
}
