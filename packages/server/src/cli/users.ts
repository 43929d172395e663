import { Command, Option } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { DeleteUserOptions } from './delete-user-action.ts';
import type {
  CreateUserOptions,
  ListUsersOptions,
  ResetPasswordOptions,
  UserOptions,
} from './user-actions.ts';

export function usersCommand(): Command {
  return new Command('users')
    .description('Create, list, disable and delete accounts, and reset passwords.')
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
    .action(async (options: CreateUserOptions) => {
      const { createUser } = await import('./user-actions.ts');
      await createUser(options);
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('List the accounts.')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExit codes: 0 listed, 1 failed.\n\nExample:\n  $ switchyard users list')
    .action(async (options: ListUsersOptions) => {
      const { listUsers } = await import('./user-actions.ts');
      await listUsers(options);
    });
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
    .action(async (options: ResetPasswordOptions) => {
      const { resetPassword } = await import('./user-actions.ts');
      await resetPassword(options);
    });
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
    .action(async (options: UserOptions & { undo?: boolean }) => {
      const { disableUser } = await import('./user-actions.ts');
      await disableUser(options);
    });
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
    .action(async (options: DeleteUserOptions) => {
      const { deleteUser } = await import('./delete-user-action.ts');
      await deleteUser(options);
    });
}
