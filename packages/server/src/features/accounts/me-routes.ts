import {
  AccountSessionParams,
  AccountSessions,
  Me,
  PatchMeBody,
  SignedIn,
} from '@switchyard/core/api/accounts';
import { Success } from '@switchyard/core/api/common';
import type { Role } from '@switchyard/core/api/roles';
import type { FastifyRequest } from 'fastify';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';
import type { AccountServices } from './account-services.ts';
import { deleteSession, listSessions } from './account-session-store.ts';
import { accountResponse, findAccount, type StoredAccount, updateAccount } from './account-store.ts';
import { setPassword } from './set-password.ts';
import { confirmIdentity } from './sign-in.ts';

export function registerMeRoutes(api: ApiRoutes, services: AccountServices): void {
  registerMe(api, services);
  registerPatchMe(api, services);
  registerSessions(api, services);
}

/** The account of the caller, with everything that is stored of it. */
export async function callersAccount(
  { database }: Pick<AccountServices, 'database'>,
  { caller }: FastifyRequest,
): Promise<StoredAccount> {
  const account = await findAccount(database, caller.account.id);
  if (account === undefined) throw new ApiError('sign_in_required');
  return account;
}

function registerMe(api: ApiRoutes, services: AccountServices): void {
  api.get(
    '/v1/manage/me',
    {
      tag: 'Management',
      summary: 'The account that is signed in, and its roles',
      access: 'account',
      responses: { 200: { ...Me, description: 'The account' } },
    },
    async (request): Promise<Me> => {
      const { caller } = request;
      const roles: Record<string, Role> = {};
      for (const property of services.properties()) {
        const role = caller.roleIn(property);
        if (role !== undefined) roles[property.id] = role;
      }
      return {
        account: accountResponse(await callersAccount(services, request)),
        via: caller.via,
        roles,
        dataDelayedSince: services.dataDelayedSince() ?? null,
      };
    },
  );
}

function registerPatchMe(api: ApiRoutes, services: AccountServices): void {
  const { database, hasher, sessions } = services;
  api.patch<{ Body: PatchMeBody }>(
    '/v1/manage/me',
    {
      tag: 'Management',
      summary: 'Change your name or password',
      description:
        'A new password ends all other sessions of the account and replaces the cookie of this one.',
      access: 'account',
      session: true,
      body: PatchMeBody,
      responses: { 200: { ...SignedIn, description: 'The changed account' } },
      errors: ['sign_in_failed'],
    },
    async (request, reply): Promise<SignedIn> => {
      const { name, password } = request.body;
      const account = await callersAccount(services, request);
      if (password !== undefined) {
        if (account.passwordHash === null) {
          throw invalidField('/password', 'This account has no password: it signs in with OpenID Connect.');
        }
        await confirmIdentity(services, account, { password: password.current });
        const passwordHash = await hasher.hash(password.next);
        await setPassword(database, account.id, passwordHash);
        await sessions.start(request, reply, { ...account, passwordHash });
      }
      await updateAccount(database, account.id, { name });
      return { account: accountResponse(await callersAccount(services, request)) };
    },
  );
}

function registerSessions(api: ApiRoutes, { database, accessChanged }: AccountServices): void {
  api.get(
    '/v1/manage/me/sessions',
    {
      tag: 'Management',
      summary: 'The browsers in which the account is signed in',
      access: 'account',
      session: true,
      responses: { 200: { ...AccountSessions, description: 'Last used first' } },
    },
    async ({ caller }): Promise<AccountSessions> => {
      const sessions = await listSessions(database, caller.account.id);
      return {
        sessions: sessions.map((session) => ({ ...session, current: session.id === caller.sessionId })),
      };
    },
  );
  api.delete<{ Params: AccountSessionParams }>(
    '/v1/manage/me/sessions/:id',
    {
      tag: 'Management',
      summary: 'Sign out another browser',
      access: 'account',
      session: true,
      params: AccountSessionParams,
      responses: { 200: Success },
    },
    async ({ caller, params }) => {
      if (!(await deleteSession(database, caller.account.id, params.id))) throw new ApiError('not_found');
      await accessChanged();
      return { success: true };
    },
  );
}
