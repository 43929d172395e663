import { Command } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { ForgetOptions } from './forget-action.ts';

export function forgetCommand(): Command {
  return new Command('forget')
    .description('Erase everything about a visitor, a user or a session, for good.')
    .requiredOption('--property <id>', 'property that knows them')
    .option('--visitor <id>', 'forget this visitor and all their sessions')
    .option('--user <id>', 'forget this user and all their sessions')
    .option('--session <id>', 'forget this session')
    .option('--timeout <seconds>', 'how long to wait for a running server', '300')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Name exactly one of --visitor, --user and --session. It works with a running server and without.

Exit codes: 0 erased, 1 failed or not finished in time (the request stays; the server carries it out).

Example:
  $ switchyard forget --property shop --visitor 7b1f2c`,
    )
    .action(async (options: ForgetOptions) => {
      const { forget } = await import('./forget-action.ts');
      const { runErasuresOffline } = await import('../features/erasure/offline-erasure.ts');
      // As the server does: what is rewritten here is for its owner only.
      process.umask(0o077);
      await forget(options, runErasuresOffline);
    });
}
