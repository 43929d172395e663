import { Command } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { ForgetOptions } from './forget-action.ts';

export function forgetCommand(): Command {
  return new Command('forget')
    .description('Erase everything about a visitor, a user or a session, or single entries, for good.')
    .requiredOption('--property <id>', 'property they belong to')
    .option('--visitor <id>', 'forget this visitor and all their sessions')
    .option('--user <id>', 'forget this user, and the visitors who were this user and no other')
    .option('--session <id>', 'forget this session')
    .option('--feedback <id>', 'forget this feedback entry')
    .option('--metadata <key=value>', 'forget goals and feedback with this pair of metadata')
    .option('--timeout <seconds>', 'how long to wait for a running server', '300')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Pass exactly one of --visitor, --user, --session, --feedback and --metadata. Nothing more is stored about who was
erased, until "switchyard suppressions lift". Works with and without a running server.

Exit codes: 0 erased, 1 failed or not finished in time (the request is kept; the server will carry it out).

Example:
  $ switchyard forget --property shop --visitor 7b1f2c`,
    )
    .action(async (options: ForgetOptions) => {
      const { forget } = await import('./forget-action.ts');
      const { eraseOffline } = await import('./erase-offline.ts');
      // As in the server: files written here are readable by their owner only.
      process.umask(0o077);
      await forget(options, eraseOffline);
    });
}
