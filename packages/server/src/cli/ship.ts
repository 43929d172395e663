import { Command } from 'commander';
import { clickhouseClusterOption, clickhouseOption } from './command-options.ts';
import type { ClickHouseOptions } from './given-clickhouse.ts';

export function shipCommand(): Command {
  return new Command('ship')
    .description('Store the requests that are left in the journal of a node that does not run any more.')
    .argument('<directory>', 'DATA_DIR of that node, or a copy of it')
    .addOption(clickhouseOption())
    .addOption(clickhouseClusterOption())
    .addHelpText(
      'after',
      `
Each request is stored once, even if the command is interrupted and repeated, or the node starts again later. Fails if the
node is running.

Exit codes: 0 stored, or nothing was left, 1 failed (the rest is still in the journal).

Example:
  $ CLICKHOUSE_URL=http://ch.example:8123/switchyard switchyard ship /mnt/lost-node/data`,
    )
    .action(async (directory: string, options: ClickHouseOptions) => {
      const { ship } = await import('./ship-action.ts');
      await ship(directory, options);
    });
}
