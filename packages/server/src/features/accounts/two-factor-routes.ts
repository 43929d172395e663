import {
  ConfirmTwoFactorBody,
  RecoveryCodes,
  RemoveTwoFactorBody,
  TwoFactorSecret,
  TwoFactorState,
} from '@switchyard/core/api/accounts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { AccountServices } from './account-services.ts';
import { callersAccount } from './me-routes.ts';
import { confirmIdentity } from './sign-in.ts';
import { checkAttempt } from './sign-in-throttle.ts';
import { beginEnrolment, confirmEnrolment, countRecoveryCodes, removeTwoFactor } from './two-factor.ts';

const URL = '/v1/manage/me/two-factor';
const ownSession = { tag: 'Management', access: 'account', session: true } as const;

export function registerTwoFactorRoutes(api: ApiRoutes, services: AccountServices): void {
  registerState(api, services);
  registerEnrol(api, services);
  registerConfirm(api, services);
  registerRemove(api, services);
}

function registerState(api: ApiRoutes, services: AccountServices): void {
  api.get(
    URL,
    {
      ...ownSession,
      summary: 'Whether signing in asks for a code',
      responses: { 200: { ...TwoFactorState, description: 'The state' } },
    },
    async (request): Promise<TwoFactorState> => {
      const { id, twoFactor } = await callersAccount(services, request);
      return { enabled: twoFactor, recoveryCodes: await countRecoveryCodes(services.database, id) };
    },
  );
}

function registerEnrol(api: ApiRoutes, services: AccountServices): void {
  api.post(
    URL,
    {
      ...ownSession,
      summary: 'Begin to set up two-factor',
      description: 'Nothing changes until a code of the authenticator app is sent to `confirm`.',
      responses: { 200: { ...TwoFactorSecret, description: 'The secret for the authenticator app' } },
      errors: ['already_exists'],
    },
    async (request): Promise<TwoFactorSecret> => {
      const account = await callersAccount(services, request);
      if (account.twoFactor) throw alreadyOn();
      return beginEnrolment(services.database, account);
    },
  );
}

function registerConfirm(api: ApiRoutes, services: AccountServices): void {
  const { database, throttle, sessions } = services;
  api.post<{ Body: ConfirmTwoFactorBody }>(
    `${URL}/confirm`,
    {
      ...ownSession,
      summary: 'Turn on two-factor with a first code',
      description: 'Replaces the session cookie.',
      body: ConfirmTwoFactorBody,
      responses: { 200: { ...RecoveryCodes, description: 'Ten codes for when the app is lost' } },
      errors: ['sign_in_failed', 'already_exists'],
    },
    async (request, reply): Promise<RecoveryCodes> => {
      const account = await callersAccount(services, request);
      if (account.twoFactor) throw alreadyOn();
      const attempt = await throttle.begin({ signedIn: account.id });
      const recoveryCodes = await checkAttempt(attempt, async () => {
        const codes = await confirmEnrolment(database, account, request.body.code);
        if (codes !== undefined) return codes;
        throw new ApiError('sign_in_failed', { message: 'The code is wrong, or enrolment was not started.' });
      });
      await sessions.start(request, reply, account);
      return { recoveryCodes };
    },
  );
}

function registerRemove(api: ApiRoutes, services: AccountServices): void {
  const { database, sessions } = services;
  api.delete<{ Body: RemoveTwoFactorBody }>(
    URL,
    {
      ...ownSession,
      summary: 'Turn off two-factor',
      description: 'Needs the password, a code or a recovery code. Replaces the session cookie.',
      body: RemoveTwoFactorBody,
      responses: { 200: { ...TwoFactorState, description: 'The state' } },
      errors: ['sign_in_failed'],
    },
    async (request, reply): Promise<TwoFactorState> => {
      const account = await callersAccount(services, request);
      await confirmIdentity(services, account, request.body);
      await inTransaction(database, (transaction) => removeTwoFactor(transaction, account.id));
      await sessions.start(request, reply, account);
      return { enabled: false, recoveryCodes: 0 };
    },
  );
}

const alreadyOn = () =>
  new ApiError('already_exists', { message: 'Two-factor is already on. Turn it off first.' });
