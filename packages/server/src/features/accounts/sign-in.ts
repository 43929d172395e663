import type { SignInBody } from '@switchyard/core/api/accounts';
import { ApiError } from '../../errors.ts';
import type { Database } from '../../storage/database.ts';
import { findAccountByEmail, normalizeEmail, type StoredAccount } from './account-store.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { Attempt, AttemptCounter } from './sign-in-throttle.ts';
import { acceptCode } from './two-factor.ts';

export interface SignInParts {
  database: Database;
  hasher: PasswordHasher;
  throttle: AttemptCounter;
}

/** The account with this email, password and code; the same error whichever of them is wrong. */
export async function signIn(
  { database, hasher, throttle }: SignInParts,
  { email, password, code }: SignInBody,
  address: string,
): Promise<StoredAccount> {
  const attempt = await throttle.begin({ email: normalizeEmail(email), address });
  const found = await findAccountByEmail(database, email);
  const account = found?.disabledAt === null ? found : undefined;
  const matches = await verify(hasher, attempt, account?.passwordHash, password);
  if (!matches || account === undefined) throw new ApiError('sign_in_failed');
  if (account.twoFactor) {
    if (code === undefined) {
      attempt.incomplete();
      throw new ApiError('code_required');
    }
    if (!(await acceptCode(database, account, code))) throw new ApiError('sign_in_failed');
  }
  attempt.succeeded();
  return account;
}

/** Checks the password or a code of an account that is signed in already, before something that must be its owner. */
export async function confirmIdentity(
  { database, hasher, throttle }: SignInParts,
  account: StoredAccount,
  given: { password?: string | undefined; code?: string | undefined },
  address: string,
): Promise<void> {
  const attempt = await throttle.begin({ email: account.email, address });
  const matches =
    given.password === undefined
      ? account.twoFactor && given.code !== undefined && (await acceptCode(database, account, given.code))
      : await verify(hasher, attempt, account.passwordHash, given.password);
  if (!matches) {
    const what = given.password === undefined ? 'code' : 'password';
    throw new ApiError('sign_in_failed', { message: `The ${what} is wrong.` });
  }
  attempt.succeeded();
}

/** An attempt that was never checked does not count. */
async function verify(
  hasher: PasswordHasher,
  attempt: Attempt,
  stored: string | null | undefined,
  password: string,
): Promise<boolean> {
  try {
    return await hasher.verify(stored, password);
  } catch (error) {
    attempt.incomplete();
    throw error;
  }
}
