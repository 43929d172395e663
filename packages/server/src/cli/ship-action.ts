import { resolve } from 'node:path';
import { SETTINGS } from '../settings.ts';
import { shipJournal } from '../storage/move/ship-journal.ts';
import { CliError } from './cli-error.ts';

export interface ShipOptions {
  clickhouse?: string;
  clickhouseCluster?: string;
}

export async function ship(directory: string, { clickhouse, clickhouseCluster }: ShipOptions): Promise<void> {
  if (!clickhouse) throw new CliError('Set CLICKHOUSE_URL as for the nodes, or pass --clickhouse.');
  const { source, requests } = await shipJournal(resolve(directory), {
    url: SETTINGS.CLICKHOUSE_URL.parse(clickhouse, '--clickhouse'),
    ...(clickhouseCluster && {
      cluster: SETTINGS.CLICKHOUSE_CLUSTER.parse(clickhouseCluster, '--clickhouse-cluster'),
    }),
  });
  const count = requests.toLocaleString('en-US');
  console.log(
    requests === 0
      ? `Nothing is left in the journal of node ${source}: ClickHouse has everything.`
      : `Stored ${count} ${requests === 1 ? 'request' : 'requests'} of node ${source}.`,
  );
}
