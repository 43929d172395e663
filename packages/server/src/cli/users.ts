import { PERSON_NAME } from '@switchyard/core/api/accounts';
import { isEmail } from '@switchyard/core/api/email-format';
import type { MemberRole } from '@switchyard/core/api/roles';
import { Command, Option } from 'commander';
import type { Database } from '../configuration/database/database.ts';
import { inTransaction } from '../configuration/database/in-transaction.ts';
import { changeAccount } from '../features/accounts/account-administration.ts';
import {
  accountResponse,
  createAccount,
  findAccountByEmail,
  listAccounts,
  type StoredAccount,
} from '../features/accounts/account-store.ts';
import { deleteAccount } from '../features/accounts/delete-account.ts';
import { createMemberWriter } from '../features/accounts/member-writer.ts';
import { PasswordHasher } from '../features/accounts/password-hasher.ts';
import { setPassword } from '../features/accounts/set-password.ts';
import { ApiError } from '../platform/errors/errors.ts';
import { configurationModel } from '../start/definitions.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';
import { readNewPassword } from './options/read-password.ts';
import { CliError } from './output/cli-error.ts';
import { table } from './output/table.ts';
import { operatorWriter } from './stored-data/operator-writer.ts';
import { requireProperty, waitForServerReload, withExistingDatabase } from './stored-data/with-database.ts';

export function usersCommand(command: Command): void {
  command
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(resetPasswordCommand())
    .addCommand(disableCommand())
    .addCommand(deleteCommand());
}

const PASSWORDS = `
The password is asked for. With --password-stdin it is the first line of standard input. Without a terminal, or if
nothing is entered, a password is generated and printed once.`;

const passwordOption = () => new Option('--password-stdin', 'read the password from standard input');

function createCommand(): Command {
  return new Command('create')
    .description('Create an account.')
    .requiredOption('--email <email>', 'email address to sign in with')
    .option('--name <name>', 'display name; default: the email address')
    .option('--owner', 'can do everything, in every property')
    .option('--property <id>', 'make the account a member of this property')
    .addOption(
      new Option('--role <role>', 'role in the property; default: viewer').choices([
        'viewer',
        'editor',
        'admin',
      ]),
    )
    .addOption(passwordOption())
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `${PASSWORDS}

Exit codes: 0 created, 1 failed.

Example:
  $ switchyard users create --email ada@shop.example --property shop --role editor`,
    )
    .action(createUser);
}

function listCommand(): Command {
  return new Command('list')
    .description('List the accounts.')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExit codes: 0 listed, 1 failed.\n\nExample:\n  $ switchyard users list')
    .action(listUsers);
}

function resetPasswordCommand(): Command {
  return new Command('reset-password')
    .description('Set a new password and end all sessions of the account.')
    .requiredOption('--email <email>', 'email address of the account')
    .option('--remove-two-factor', 'also turn off two-factor, if the authenticator app is lost')
    .addOption(passwordOption())
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `${PASSWORDS}

Exit codes: 0 changed, 1 failed.

Example:
  $ switchyard users reset-password --email ada@shop.example`,
    )
    .action(resetPassword);
}

function disableCommand(): Command {
  return new Command('disable')
    .description('Disable an account: its sessions end, and its access tokens do not work.')
    .requiredOption('--email <email>', 'email address of the account')
    .option('--undo', 'enable the account again')
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      '\nExit codes: 0 disabled, 1 failed.\n\nExample:\n  $ switchyard users disable --email ada@shop.example',
    )
    .action(disableUser);
}

function deleteCommand(): Command {
  return new Command('delete')
    .description(
      'Delete an account and everything about it, for good. The history keeps a number in its place.',
    )
    .requiredOption('--email <email>', 'email address of the account')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Works with and without a running server. The last owner cannot be deleted. Backups keep the account until they are
deleted.

Exit codes: 0 deleted, 1 failed.

Example:
  $ switchyard users delete --email ada@shop.example`,
    )
    .action(deleteUser);
}

interface UserOptions {
  dataDir: string;
  email: string;
}

interface ListUsersOptions {
  dataDir: string;
  json?: boolean;
}

interface CreateUserOptions extends UserOptions {
  name?: string;
  owner?: boolean;
  property?: string;
  role?: MemberRole;
  passwordStdin?: boolean;
  json?: boolean;
}

interface ResetPasswordOptions extends UserOptions {
  removeTwoFactor?: boolean;
  passwordStdin?: boolean;
}

async function createUser(options: CreateUserOptions): Promise<void> {
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

async function listUsers({ dataDir, json }: ListUsersOptions): Promise<void> {
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

async function requireAccount(database: Database, email: string): Promise<StoredAccount> {
  const account = await findAccountByEmail(database, email);
  if (account !== undefined) return account;
  throw new CliError(`There is no account with the email ${email}. "switchyard users list" shows all.`);
}

async function resetPassword(options: ResetPasswordOptions): Promise<void> {
  await withExistingDatabase(options.dataDir, async ({ database }) => {
    const { id, email } = await requireAccount(database, options.email);
    const { password, generated } = await readNewPassword(options.passwordStdin);
    const passwordHash = await new PasswordHasher().hash(password);
    await setPassword(database, id, passwordHash, { withoutTwoFactor: options.removeTwoFactor });
    console.log(generated ? password : `Changed the password of ${email}.`);
    if (generated) console.error('This password was generated and is shown only once.');
  });
}

async function disableUser({
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

interface DeleteUserOptions extends UserOptions {
  json?: boolean;
}

async function deleteUser({ dataDir, email, json }: DeleteUserOptions): Promise<void> {
  await withExistingDatabase(dataDir, async (handle) => {
    const { id } = await requireAccount(handle.database, email);
    const { writer, by } = operatorWriter(handle.database);
    const services = { writer, model: configurationModel, scrub: () => handle.scrub() };
    const deleted = await deleteAccount(services, id, by).catch((error: unknown) => {
      throw error instanceof ApiError ? new CliError(error.message) : error;
    });
    await waitForServerReload();
    if (json) {
      console.log(JSON.stringify(deleted, undefined, 2));
      return;
    }
    console.log(`Deleted ${email}. The history calls it "deleted account ${deleted.number}".`);
    for (const { propertyId, items } of deleted.remaining) {
      console.log(`The address remains in the configuration of ${propertyId}: ${items.join(', ')}.`);
    }
  });
}
