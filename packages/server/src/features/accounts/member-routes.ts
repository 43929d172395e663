import { Success } from '@switchyard/core/api/common';
import {
  ManagedPropertyParams,
  MemberBody,
  MemberParams,
  PropertyMember,
  PropertyMembers,
} from '@switchyard/core/api/members';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import type { ApiRoutes } from '../../http/api-routes.ts';
import type { Database } from '../../storage/database.ts';
import type { AccountParts } from './account-parts.ts';
import { deleteSessions } from './account-session-store.ts';
import { findAccount } from './account-store.ts';

const URL = '/v1/manage/properties/:propertyId/members';

export function registerMemberRoutes(api: ApiRoutes, parts: AccountParts): void {
  registerList(api, parts);
  registerPut(api, parts);
  registerDelete(api, parts);
}

const changedBy = ({ caller: { actor, via } }: FastifyRequest) => ({ actor, via });

function registerList(api: ApiRoutes, { database }: AccountParts): void {
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

function registerPut(api: ApiRoutes, { database, members }: AccountParts): void {
  api.put<{ Params: MemberParams; Body: MemberBody }>(
    `${URL}/:accountId`,
    {
      tag: 'Management',
      summary: 'Add an account to the property, or change its role',
      access: 'admin',
      params: MemberParams,
      body: MemberBody,
      responses: {
        200: { ...PropertyMember, description: 'Changed' },
        201: { ...PropertyMember, description: 'Added' },
      },
    },
    async (request, reply) => {
      const { managed, params, body } = request;
      const account = await findAccount(database, params.accountId);
      if (account === undefined) throw new ApiError('not_found', { message: 'There is no such account.' });
      const isMember = managed.members.some(({ accountId }) => accountId === account.id);
      await members.saveMember(managed.id, account.id, body.role, changedBy(request));
      const [saved] = await listWithAccounts(database, managed.id, account.id);
      return reply.code(isMember ? 200 : 201).send(saved);
    },
  );
}

function registerDelete(api: ApiRoutes, { database, members }: AccountParts): void {
  api.delete<{ Params: MemberParams }>(
    `${URL}/:accountId`,
    {
      tag: 'Management',
      summary: 'Remove a member',
      description: 'Takes effect at once. If the account has no other property, its sessions end.',
      access: 'admin',
      params: MemberParams,
      responses: { 200: Success },
    },
    async (request) => {
      const { managed, params } = request;
      if (!managed.members.some(({ accountId }) => accountId === params.accountId)) {
        throw new ApiError('not_found', { message: 'The property has no such member.' });
      }
      await members.removeMember(managed.id, params.accountId, changedBy(request));
      if (!(await hasAccess(database, params.accountId))) await deleteSessions(database, params.accountId);
      return { success: true };
    },
  );
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
