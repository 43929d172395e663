import { Command } from 'commander';
import { dataDirOption } from './command-options.ts';
import type { PersonOptions } from './person-action.ts';

export function personCommand(): Command {
  return new Command('person').description('What is stored about one person.').addCommand(exportCommand());
}

function exportCommand(): Command {
  return new Command('export')
    .description('Write everything about a visitor, a user or a session to one JSON file.')
    .requiredOption('--property <id>', 'property they belong to')
    .option('--visitor <id>', 'this visitor')
    .option('--user <id>', 'this user, and the visitors who were this user and no other')
    .option('--session <id>', 'this session')
    .option('--out <file>', 'file to write; default: standard output')
    .option(
      '--url <url>',
      'address of the running server; it needs SWITCHYARD_TOKEN, an access token of an admin',
    )
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `
Pass exactly one of --visitor, --user and --session. Without --url, the server must be stopped.

Exit codes: 0 written, 1 failed.

Example:
  $ switchyard person export --property shop --user u-42 --out person.json`,
    )
    .action(async (options: PersonOptions) => {
      const { exportPerson } = await import('./person-action.ts');
      await exportPerson(options);
    });
}
