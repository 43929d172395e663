import type { Account } from '@switchyard/core/api/accounts';
import type { Selectable } from 'kysely';
import { recordAudited } from '../../configuration/audit/audit-log.ts';
import { type Database, newId } from '../../configuration/database/database.ts';
import type { DatabaseTables } from '../../configuration/database/tables/database-tables.ts';

export interface StoredAccount {
  id: string;
  email: string;
  name: string;
  passwordHash: string | null;
  isOwner: boolean;
  /** Confirmed, so that signing in asks for a code. */
  twoFactor: boolean;
  /** Base32; also set while enrolment is not finished. */
  twoFactorSecret: string | null;
  disabledAt: number | null;
  createdAt: number;
}

export interface NewAccount {
  email: string;
  name?: string | undefined;
  passwordHash: string | null;
  isOwner: boolean;
}

export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

export async function findAccount(database: Database, id: string): Promise<StoredAccount | undefined> {
  const row = await database.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toAccount(row);
}

export async function findAccountByEmail(
  database: Database,
  email: string,
): Promise<StoredAccount | undefined> {
  const row = await database
    .selectFrom('accounts')
    .selectAll()
    .where('email', '=', normalizeEmail(email))
    .executeTakeFirst();
  return row && toAccount(row);
}

interface AccountPosition {
  at: number;
  id: string;
}

/** Oldest first. */
export async function listAccounts(
  database: Database,
  { limit, after }: { limit: number; after?: AccountPosition | undefined },
): Promise<StoredAccount[]> {
  let query = database.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id').limit(limit);
  if (after !== undefined) {
    query = query.where(({ eb, and, or }) =>
      or([eb('created_at', '>', after.at), and([eb('created_at', '=', after.at), eb('id', '>', after.id)])]),
    );
  }
  return (await query.execute()).map(toAccount);
}

/** In the caller's transaction. The email must not be in use. */
export async function createAccount(database: Database, account: NewAccount): Promise<StoredAccount> {
  const id = newId('acc');
  const email = normalizeEmail(account.email);
  await database
    .insertInto('accounts')
    .values({
      id,
      email,
      name: account.name ?? email,
      password_hash: account.passwordHash,
      is_owner: account.isOwner ? 1 : 0,
      created_at: Date.now(),
    })
    .execute();
  await recordAudited(database, 'account', [id]);
  return (await findAccount(database, id))!;
}

interface AccountChange {
  name?: string | undefined;
  passwordHash?: string | undefined;
  isOwner?: boolean | undefined;
  disabledAt?: number | null | undefined;
}

/** In the caller's transaction, except for a new name. */
export async function updateAccount(database: Database, id: string, change: AccountChange): Promise<void> {
  const { name, passwordHash, isOwner, disabledAt } = change;
  const columns = {
    ...(name !== undefined && { name }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(isOwner !== undefined && { is_owner: isOwner ? 1 : 0 }),
    ...(disabledAt !== undefined && { disabled_at: disabledAt }),
  };
  if (Object.keys(columns).length === 0) return;
  await database.updateTable('accounts').set(columns).where('id', '=', id).execute();
  const isOnlyName = Object.keys(columns).every((column) => column === 'name');
  if (!isOnlyName) await recordAudited(database, 'account', [id]);
}

/** Owners who can sign in, without the given account. */
export async function hasActiveOwner(database: Database, except?: string): Promise<boolean> {
  let query = database
    .selectFrom('accounts')
    .select('id')
    .where('is_owner', '=', 1)
    .where('disabled_at', 'is', null)
    .limit(1);
  if (except !== undefined) query = query.where('id', '!=', except);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Whether an owner exists, disabled or not. */
export async function hasOwner(database: Database): Promise<boolean> {
  const row = await database
    .selectFrom('accounts')
    .select('id')
    .where('is_owner', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export function accountResponse(account: StoredAccount): Account {
  const { id, email, name, isOwner, twoFactor, disabledAt, createdAt, passwordHash } = account;
  return { id, email, name, isOwner, hasPassword: passwordHash !== null, twoFactor, disabledAt, createdAt };
}

function toAccount(row: Selectable<DatabaseTables['accounts']>): StoredAccount {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    passwordHash: row.password_hash,
    isOwner: row.is_owner === 1,
    twoFactor: row.two_factor_confirmed_at !== null,
    twoFactorSecret: row.two_factor_secret,
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
  };
}
