import { PERSON_NAME } from '@switchyard/core/api/accounts';
import { isEmail } from '@switchyard/core/api/email-format';
import type { MemberRole } from '@switchyard/core/api/roles';
import { ApiError } from '../errors.ts';
import { changeAccount } from '../features/accounts/account-administration.ts';
import {
  accountResponse,
  createAccount,
  findAccountByEmail,
  listAccounts,
  type StoredAccount,
} from '../features/accounts/account-store.ts';
import { createMemberWriter } from '../features/accounts/member-writer.ts';
import { PasswordHasher } from '../features/accounts/password-hasher.ts';
import { setPassword } from '../features/accounts/set-password.ts';
import type { Database } from '../storage/database.ts';
import { inTransaction } from '../storage/in-transaction.ts';
import { CliError } from './cli-error.ts';
import { operatorWriter } from './operator-writer.ts';
import { readNewPassword } from './read-password.ts';
import { table } from './table.ts';
import { requireProperty, waitForServerReload, withExistingDatabase } from './with-database.ts';

export interface UserOptions {
  dataDir: string;
  email: string;
}

export interface ListUsersOptions {
  dataDir: string;
  json?: boolean;
}

export interface CreateUserOptions extends UserOptions {
  name?: string;
  owner?: boolean;
  property?: string;
  role?: MemberRole;
  passwordStdin?: boolean;
  json?: boolean;
}

export interface ResetPasswordOptions extends UserOptions {
  removeTwoFactor?: boolean;
  passwordStdin?: boolean;
}

export async function createUser(options: CreateUserOptions): Promise<void> {
  const { dataDir, email, name, owner = false, property, role = 'viewer', json } = options;
  checkTexts(email, name);
  if (options.role !== undefined && property === undefined) {
    throw new CliError('--role needs --property, because a role belongs to a property.');
  }
  await withExistingDatabase(dataDir, async (handle) => {
    const { database } = handle;
    if (property !== undefined) await requireProperty(handle, property);
    if (await findAccountByEmail(database, email)) {
      throw new CliError(`There is already an account with the email ${email}.`);
    }
    const { password, generated } = await readNewPassword(options.passwordStdin);
    const passwordHash = await new PasswordHasher().hash(password);
    const account = await inTransaction(database, (transaction) =>
      createAccount(transaction, { email, name, passwordHash, isOwner: owner }),
    );
    if (property !== undefined) {
      const { writer, by } = operatorWriter(database);
      await createMemberWriter(writer).saveMember(property, account.id, role, by);
    }
    await waitForServerReload();
    const shown = generated ? { password } : {};
    if (json) console.log(JSON.stringify({ ...accountResponse(account), ...shown }, undefined, 2));
    else console.log(generated ? password : `Created ${account.email}.`);
    if (generated) console.error('This password was generated and is shown only once.');
  });
}

function checkTexts(email: string, name: string | undefined): void {
  if (!isEmail(email)) throw new CliError(`"${email}" is not an email address.`);
  if (name !== undefined && !new RegExp(PERSON_NAME, 'u').test(name)) {
    throw new CliError('The name must be one line of at most 128 characters.');
  }
}

const PAGE = 500;

export async function listUsers({ dataDir, json }: ListUsersOptions): Promise<void> {
  const accounts = await withExistingDatabase(dataDir, ({ database }) => allAccounts(database));
  if (json) console.log(JSON.stringify({ accounts: accounts.map(accountResponse) }, undefined, 2));
  else if (accounts.length === 0) {
    console.log('There are no accounts yet. Create one with "switchyard users create".');
  } else {
    const header = ['ID', 'EMAIL', 'NAME', 'OWNER', 'TWO-FACTOR', 'STATE', 'CREATED'];
    console.log(table([header, ...accounts.map(toRow)]));
  }
}

async function allAccounts(database: Database): Promise<StoredAccount[]> {
  const all: StoredAccount[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last && { at: last.createdAt, id: last.id };
    const page = await listAccounts(database, { limit: PAGE, after });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

function toRow({ id, email, name, isOwner, twoFactor, disabledAt, createdAt }: StoredAccount): string[] {
  const created = new Date(createdAt).toISOString().slice(0, 10);
  const state = disabledAt === null ? 'active' : 'disabled';
  return [id, email, name, isOwner ? 'yes' : 'no', twoFactor ? 'yes' : 'no', state, created];
}

export async function requireAccount(database: Database, email: string): Promise<StoredAccount> {
  const account = await findAccountByEmail(database, email);
  if (account !== undefined) return account;
  throw new CliError(`There is no account with the email ${email}. "switchyard users list" shows all.`);
}

export async function resetPassword(options: ResetPasswordOptions): Promise<void> {
  await withExistingDatabase(options.dataDir, async ({ database }) => {
    const { id, email } = await requireAccount(database, options.email);
    const { password, generated } = await readNewPassword(options.passwordStdin);
    const passwordHash = await new PasswordHasher().hash(password);
    await setPassword(database, id, passwordHash, { withoutTwoFactor: options.removeTwoFactor });
    console.log(generated ? password : `Changed the password of ${email}.`);
    if (generated) console.error('This password was generated and is shown only once.');
  });
}

export async function disableUser({
  dataDir,
  email,
  undo = false,
}: UserOptions & { undo?: boolean }): Promise<void> {
  await withExistingDatabase(dataDir, async ({ database }) => {
    const { id } = await requireAccount(database, email);
    try {
      await changeAccount(database, id, { disabled: !undo });
    } catch (error) {
      throw error instanceof ApiError ? new CliError(error.message) : error;
    }
    console.log(`${undo ? 'Enabled' : 'Disabled'} ${email}.`);
  });
}
