import { Command } from 'commander';
import { clickhouseClusterOption, clickhouseOption, dataDirOption } from './command-options.ts';
import type { ClickHouseOptions } from './given-clickhouse.ts';
import type { ExportSuppressionsOptions, LiftOptions } from './suppression-actions.ts';

export function suppressionsCommand(): Command {
  return new Command('suppressions')
    .description('The list of who was erased: nothing more is stored about them.')
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(liftCommand());
}

function exportCommand(): Command {
  return new Command('export')
    .description('Write the list to a file, for a restore from an older backup.')
    .option('--out <file>', 'file to write; default: standard output')
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `
The file has salted hashes, and no ids. Keep it like a backup: with the salt, ids can be tried out.

Example:
  $ switchyard suppressions export --out suppressions.json`,
    )
    .action(async (options: ExportSuppressionsOptions) => {
      const { writeSuppressions } = await import('./suppression-actions.ts');
      await writeSuppressions(options);
    });
}

function importCommand(): Command {
  return new Command('import')
    .description('Add a list to that of nodes, and erase again who is on it.')
    .argument('<file>', 'file of "suppressions export"')
    .addOption(clickhouseOption())
    .addOption(clickhouseClusterOption())
    .addHelpText(
      'after',
      `
For a restore of PostgreSQL and ClickHouse from backups that have people who were erased since. Reads all events, because
the list does not say whom it names. Set DATABASE_URL as for the nodes; one of them carries the erasures out. For one
server with its own files, use "switchyard restore --suppressions".

Example:
  $ switchyard suppressions import suppressions.json`,
    )
    .action(async (file: string, options: ClickHouseOptions) => {
      const { importSuppressions } = await import('./suppression-actions.ts');
      await importSuppressions(file, options);
    });
}

function liftCommand(): Command {
  return new Command('lift')
    .description('Store events of a visitor, a user or a session again.')
    .requiredOption('--property <id>', 'property they belong to')
    .option('--visitor <id>', 'lift the suppression of this visitor')
    .option('--user <id>', 'lift the suppression of this user')
    .option('--session <id>', 'lift the suppression of this session')
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `
What was erased does not come back. Works with and without a running server.

Exit codes: 0 lifted, 1 failed, or it was not suppressed.

Example:
  $ switchyard suppressions lift --property shop --visitor 7b1f2c`,
    )
    .action(async (options: LiftOptions) => {
      const { lift } = await import('./suppression-actions.ts');
      await lift(options);
    });
}
