import { resolve } from 'node:path';
import type { Command } from 'commander';
import { shipJournal } from '../cluster/ship/ship-journal.ts';
import { clickhouseClusterOption, clickhouseOption } from './options/command-options.ts';
import { type ClickHouseOptions, givenClickHouse } from './options/given-clickhouse.ts';
import { CliError } from './output/cli-error.ts';

export function shipCommand(command: Command): void {
  command
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
    .action(ship);
}

async function ship(directory: string, { clickhouse, clickhouseCluster }: ClickHouseOptions): Promise<void> {
  if (!clickhouse) throw new CliError('Set CLICKHOUSE_URL as for the nodes, or pass --clickhouse.');
  const { source, requests } = await shipJournal(
    resolve(directory),
    givenClickHouse(clickhouse, clickhouseCluster),
  );
  const count = requests.toLocaleString('en-US');
  console.log(
    requests === 0
      ? `Nothing is left in the journal of node ${source}: ClickHouse has everything.`
      : `Stored ${count} ${requests === 1 ? 'request' : 'requests'} of node ${source}.`,
  );
}
