import {
  Account,
  AccountParams,
  AccountsPage,
  AccountsQuery,
  PatchAccountBody,
} from '@switchyard/core/api/accounts';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import { decodeListCursor, encodeListCursor } from '../../http/contract/paging.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { AccountServices } from './account-services.ts';
import { deleteSessions } from './account-session-store.ts';
import {
  accountResponse,
  findAccount,
  hasActiveOwner,
  listAccounts,
  type StoredAccount,
  updateAccount,
} from './account-store.ts';

/** Owners manage all accounts. */
export function registerAccountAdministration(
  api: ApiRoutes,
  { database, accessChanged }: AccountServices,
): void {
  api.get<{ Querystring: AccountsQuery }>(
    '/v1/manage/accounts',
    {
      tag: 'Management',
      summary: 'All accounts, oldest first',
      access: 'owner',
      querystring: AccountsQuery,
      responses: { 200: { ...AccountsPage, description: 'One page' } },
    },
    async ({ query: { limit = 50, cursor } }): Promise<AccountsPage> => {
      const rows = await listAccounts(database, { limit: limit + 1, after: decodeListCursor(cursor) });
      const accounts = rows.slice(0, limit);
      const last = rows.length > limit ? accounts.at(-1) : undefined;
      const next = last && { at: last.createdAt, id: last.id };
      return { accounts: accounts.map(accountResponse), nextCursor: encodeListCursor(next) };
    },
  );
  api.patch<{ Params: AccountParams; Body: PatchAccountBody }>(
    '/v1/manage/accounts/:accountId',
    {
      tag: 'Management',
      summary: 'Disable, rename or promote an account',
      description: 'Disabling an account ends its sessions.',
      access: 'owner',
      params: AccountParams,
      body: PatchAccountBody,
      responses: { 200: { ...Account, description: 'The changed account' } },
      errors: ['last_owner'],
    },
    async ({ params, body }): Promise<Account> => {
      const account = await changeAccount(database, params.accountId, body);
      await accessChanged();
      return accountResponse(account);
    },
  );
}

/** Never leaves the server without an owner who can sign in. */
export function changeAccount(
  database: Database,
  id: string,
  { disabled, owner, name }: PatchAccountBody,
): Promise<StoredAccount> {
  return inTransaction(database, async (transaction) => {
    const account = await findAccount(transaction, id);
    if (account === undefined) throw new ApiError('not_found');
    const isActiveOwner = account.isOwner && account.disabledAt === null;
    if (isActiveOwner && (disabled === true || owner === false)) {
      if (!(await hasActiveOwner(transaction, id))) throw new ApiError('last_owner');
    }
    await updateAccount(transaction, id, {
      name,
      isOwner: owner,
      // Keeps the time of the first request.
      disabledAt: disabled === undefined ? undefined : disabled ? (account.disabledAt ?? Date.now()) : null,
    });
    // No session that was started with fewer rights becomes an owner's.
    const isPromoted = owner === true && !account.isOwner;
    if (disabled || isPromoted) await deleteSessions(transaction, id);
    return (await findAccount(transaction, id))!;
  });
}
