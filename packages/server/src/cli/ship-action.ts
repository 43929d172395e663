import { resolve } from 'node:path';
import { shipJournal } from '../storage/move/ship-journal.ts';
import { CliError } from './cli-error.ts';
import { type ClickHouseOptions, givenClickHouse } from './given-clickhouse.ts';

export async function ship(
  directory: string,
  { clickhouse, clickhouseCluster }: ClickHouseOptions,
): Promise<void> {
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
