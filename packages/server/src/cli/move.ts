import { Command, Option } from 'commander';
import { clickhouseClusterOption, dataDirOption } from './command-options.ts';
import type { MoveOptions } from './move-action.ts';

export function moveCommand(): Command {
  return new Command('move')
    .description('Copy all data to PostgreSQL and ClickHouse, or back into a directory, and compare both.')
    .option('--to-database <url>', 'PostgreSQL database to move the configuration to')
    .option('--to-clickhouse <url>', 'ClickHouse database to move the events to')
    .addOption(clickhouseClusterOption())
    .option('--to-directory <directory>', 'empty data directory to move everything to')
    .addOption(
      new Option('--from-database <url>', 'with --to-directory: PostgreSQL database').env('DATABASE_URL'),
    )
    .addOption(
      new Option('--from-clickhouse <url>', 'with --to-directory: ClickHouse database').env('CLICKHOUSE_URL'),
    )
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `
The server, or the nodes, can keep running. Run it twice: the second time after they have stopped, to copy what was added
since and to complete the move. It can be interrupted at any time; the same command continues. Nothing is deleted where
the data comes from. Run it as the user of the server.

Exit codes: 0 both sides are equal, 1 they differ, or it failed.

Examples:
  $ switchyard move --to-database postgres://db.example/switchyard --to-clickhouse http://ch.example:8123/switchyard
  $ switchyard move --to-directory /var/lib/switchyard`,
    )
    .action(async (options: MoveOptions) => {
      const { move } = await import('./move-action.ts');
      await move(options);
    });
}
