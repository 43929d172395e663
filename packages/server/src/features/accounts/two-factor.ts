import { randomBytes } from 'node:crypto';
import { recordAudited } from '../../configuration/audit/audit-log.ts';
import { hashCredential } from '../../configuration/database/credential-text.ts';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { StoredAccount } from './account-store.ts';

const ISSUER = 'Switchyard';
const PERIOD_SECONDS = 30;
/** Clocks may differ by one period. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

async function totpOf(email: string, secret: string) {
  // Imported lazily: few sign-ins need it.
  const { Secret, TOTP } = await import('otpauth');
  return new TOTP({
    issuer: ISSUER,
    label: email,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
}

/** Stores a new secret, which counts once it is confirmed. */
export async function beginEnrolment(
  database: Database,
  { id, email }: StoredAccount,
): Promise<{ secret: string; uri: string }> {
  const { Secret } = await import('otpauth');
  const secret = new Secret({ size: 20 }).base32;
  await database
    .updateTable('accounts')
    .set({ two_factor_secret: secret, two_factor_last_step: null })
    .where('id', '=', id)
    .where('two_factor_confirmed_at', 'is', null)
    .execute();
  return { secret, uri: (await totpOf(email, secret)).toString() };
}

/** Turns two-factor on and returns the recovery codes; undefined if the code is wrong. */
export async function confirmEnrolment(
  database: Database,
  account: StoredAccount,
  code: string,
): Promise<string[] | undefined> {
  if (!(await acceptTotp(database, account, code))) return undefined;
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  return inTransaction(database, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ two_factor_confirmed_at: Date.now() })
      .where('id', '=', account.id)
      // Enrolment may have been started again: the app of the user must know the secret that is confirmed.
      .where('two_factor_secret', '=', account.twoFactorSecret)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return undefined;
    await recordAudited(transaction, 'account', [account.id]);
    await transaction.deleteFrom('recovery_codes').where('account_id', '=', account.id).execute();
    await transaction
      .insertInto('recovery_codes')
      .values(codes.map((text) => ({ account_id: account.id, hash: hashRecoveryCode(text) })))
      .execute();
    return codes;
  });
}

/** In the caller's transaction. */
export async function removeTwoFactor(transaction: Database, accountId: string): Promise<void> {
  await transaction
    .updateTable('accounts')
    .set({ two_factor_secret: null, two_factor_confirmed_at: null, two_factor_last_step: null })
    .where('id', '=', accountId)
    .execute();
  await transaction.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
  await recordAudited(transaction, 'account', [accountId]);
}

/** Whether a code of the app or a recovery code is right; it does not work again. */
export async function acceptCode(database: Database, account: StoredAccount, code: string): Promise<boolean> {
  const text = code.replaceAll(/[\s-]/g, '');
  return /^\d{6}$/.test(text)
    ? acceptTotp(database, account, text)
    : acceptRecoveryCode(database, account.id, text);
}

async function acceptTotp(
  database: Database,
  { id, email, twoFactorSecret }: StoredAccount,
  code: string,
): Promise<boolean> {
  const text = code.replaceAll(/[\s-]/g, '');
  if (twoFactorSecret === null || !/^\d{6}$/.test(text)) return false;
  const timestamp = Date.now();
  const totp = await totpOf(email, twoFactorSecret);
  const delta = totp.validate({ token: text, window: WINDOW, timestamp });
  if (delta === null) return false;
  const step = Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
  // In one statement: of two requests with the same code, only one gets in.
  const { numUpdatedRows } = await database
    .updateTable('accounts')
    .set({ two_factor_last_step: step })
    .where('id', '=', id)
    .where('two_factor_secret', '=', twoFactorSecret)
    .where(({ eb, or }) =>
      or([eb('two_factor_last_step', 'is', null), eb('two_factor_last_step', '<', step)]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function acceptRecoveryCode(database: Database, accountId: string, text: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .where('hash', '=', hashRecoveryCode(text))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function countRecoveryCodes(database: Database, accountId: string): Promise<number> {
  const { count } = await database
    .selectFrom('recovery_codes')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** 80 random bits, in groups of four. */
function newRecoveryCode(): string {
  const characters = [...randomBytes(16)].map((byte) => BASE32[byte % 32]);
  return characters.join('').replaceAll(/(.{4})(?=.)/g, '$1-');
}

const hashRecoveryCode = (text: string) => hashCredential(text.toLowerCase().replaceAll(/[\s-]/g, ''));
