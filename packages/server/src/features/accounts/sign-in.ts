import type { SignInBody } from '@switchyard/core/api/accounts';
import type { Database } from '../../configuration/database/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { findAccountByEmail, normalizeEmail, type StoredAccount } from './account-store.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { type AttemptCounter, checkAttempt } from './sign-in-throttle.ts';
import { acceptCode } from './two-factor.ts';

export interface SignInServices {
  database: Database;
  hasher: PasswordHasher;
  throttle: AttemptCounter;
}

/** The account with this email, password and code; the same error whichever of them is wrong. */
export async function signIn(
  { database, hasher, throttle }: SignInServices,
  { email, password, code }: SignInBody,
  address: string,
): Promise<StoredAccount> {
  const attempt = await throttle.begin({ email: normalizeEmail(email), address });
  return checkAttempt(attempt, async () => {
    const found = await findAccountByEmail(database, email);
    const account = found?.disabledAt === null ? found : undefined;
    const matches = await hasher.verify(account?.passwordHash, password);
    if (!matches || account === undefined) throw new ApiError('sign_in_failed');
    if (!account.twoFactor) return account;
    if (code === undefined) throw new ApiError('code_required');
    if (!(await acceptCode(database, account, code))) throw new ApiError('sign_in_failed');
    return account;
  });
}

/** Checks the password or a code of an account that is signed in already, before something that must be its owner. */
export async function confirmIdentity(
  { database, hasher, throttle }: SignInServices,
  account: StoredAccount,
  given: { password?: string | undefined; code?: string | undefined },
): Promise<void> {
  const attempt = await throttle.begin({ signedIn: account.id });
  await checkAttempt(attempt, async () => {
    const matches =
      given.password === undefined
        ? account.twoFactor && given.code !== undefined && (await acceptCode(database, account, given.code))
        : await hasher.verify(account.passwordHash, given.password);
    if (matches) return;
    const what = given.password === undefined ? 'code' : 'password';
    throw new ApiError('sign_in_failed', { message: `The ${what} is wrong.` });
  });
}
