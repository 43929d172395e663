import { SetupBody, SetupState, SignedIn, SignInBody } from '@switchyard/core/api/accounts';
import { Success } from '@switchyard/core/api/common';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { AccountServices } from './account-services.ts';
import { accountResponse, createAccount, findAccountByEmail, hasOwner } from './account-store.ts';
import { signIn } from './sign-in.ts';

export function registerSignInRoutes(api: ApiRoutes, services: AccountServices): void {
  registerSetup(api, services);
  registerSignIn(api, services);
  registerSignOut(api, services);
}

function registerSetup(api: ApiRoutes, services: AccountServices): void {
  const { database, hasher, sessions, ownerRecord, oidc } = services;
  const url = '/v1/manage/setup';
  api.get(
    url,
    {
      tag: 'Management',
      summary: 'Whether the first owner still has to be created',
      access: 'anyone',
      responses: { 200: { ...SetupState, description: 'The state' } },
    },
    async (): Promise<SetupState> => ({
      needsOwner: await ownerRecord.needsOwner(database),
      oidc: oidc !== undefined,
    }),
  );
  api.post<{ Body: SetupBody }>(
    url,
    {
      tag: 'Management',
      summary: 'Create the first owner and sign in',
      access: 'anyone',
      body: SetupBody,
      responses: { 200: { ...SignedIn, description: 'Created and signed in' } },
      errors: ['already_set_up', 'already_exists'],
    },
    async (request, reply): Promise<SignedIn> => {
      if (!(await ownerRecord.needsOwner(database))) throw new ApiError('already_set_up');
      const { email, name, password } = request.body;
      const passwordHash = await hasher.hash(password);
      const account = await inTransaction(database, async (transaction) => {
        // Again: another request may have been faster.
        if (await hasOwner(transaction)) throw new ApiError('already_set_up');
        if (await findAccountByEmail(transaction, email)) throw new ApiError('already_exists');
        return createAccount(transaction, { email, name, passwordHash, isOwner: true });
      });
      ownerRecord.save();
      await sessions.start(request, reply, account);
      return { account: accountResponse(account) };
    },
  );
}

function registerSignIn(api: ApiRoutes, services: AccountServices): void {
  api.post<{ Body: SignInBody }>(
    '/v1/manage/sign-in',
    {
      tag: 'Management',
      summary: 'Sign in with email and password',
      description:
        'Sets the session cookie. Failed attempts slow down further ones of the same client address.',
      access: 'anyone',
      body: SignInBody,
      responses: { 200: { ...SignedIn, description: 'Signed in' } },
      errors: ['sign_in_failed', 'code_required'],
    },
    async (request, reply): Promise<SignedIn> => {
      const account = await signIn(services, request.body, request.ip);
      await services.sessions.start(request, reply, account);
      return { account: accountResponse(account) };
    },
  );
}

function registerSignOut(api: ApiRoutes, { sessions }: AccountServices): void {
  api.post(
    '/v1/manage/sign-out',
    {
      tag: 'Management',
      summary: 'End the session of this browser',
      access: 'account',
      session: true,
      responses: { 200: Success },
    },
    async (request, reply) => {
      await sessions.end(request, reply);
      return { success: true };
    },
  );
}
