import { AccountParams, DeletedAccount, DeleteMeBody } from '@switchyard/core/api/accounts';
import type { FastifyRequest } from 'fastify';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import type { AccountServices } from './account-services.ts';
import { callersAccount } from './me-routes.ts';
import { confirmIdentity } from './sign-in.ts';

const DESCRIPTION =
  'Deletes the email address, name, password, two-factor, sessions, access tokens and memberships, and replaces the name in the history by `deleted account` and a number. Backups keep it until they are deleted.';

const changedBy = ({ caller: { actor, via } }: FastifyRequest) => ({ actor, via });

/** By an owner, or by whoever it belongs to. */
export function registerAccountDeletion(api: ApiRoutes, services: AccountServices): void {
  const { sessions, deleteAccount, accessChanged } = services;
  api.delete<{ Params: AccountParams }>(
    '/v1/manage/accounts/:accountId',
    {
      tag: 'Management',
      summary: 'Delete an account, for good',
      description: DESCRIPTION,
      access: 'owner',
      params: AccountParams,
      responses: { 200: { ...DeletedAccount, description: 'Deleted' } },
      errors: ['last_owner'],
    },
    async (request): Promise<DeletedAccount> => {
      const deleted = await deleteAccount(request.params.accountId, changedBy(request));
      await accessChanged();
      return deleted;
    },
  );
  api.delete<{ Body: DeleteMeBody }>(
    '/v1/manage/me',
    {
      tag: 'Management',
      summary: 'Delete your own account, for good',
      description: `${DESCRIPTION} Needs the password or a code, unless the account only signs in with OpenID Connect.`,
      access: 'account',
      session: true,
      body: DeleteMeBody,
      bodyOptional: true,
      responses: { 200: { ...DeletedAccount, description: 'Deleted, and signed out' } },
      errors: ['last_owner', 'sign_in_failed'],
    },
    async (request, reply): Promise<DeletedAccount> => {
      const account = await callersAccount(services, request);
      if (account.passwordHash !== null || account.twoFactor) {
        await confirmIdentity(services, account, request.body);
      }
      const deleted = await deleteAccount(account.id, changedBy(request));
      await sessions.end(request, reply);
      return deleted;
    },
  );
}
