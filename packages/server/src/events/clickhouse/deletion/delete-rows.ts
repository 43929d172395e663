import type { ClickHouse, SqlParameters } from '../connection/clickhouse-client.ts';
import type { TableName } from '../schema/table-columns.ts';

/** Deletes rows from the files of all replicas, and waits for it. */
export async function deleteRows(
  clickhouse: ClickHouse,
  table: TableName,
  condition: string,
  parameters: SqlParameters,
): Promise<void> {
  const { tables } = clickhouse;
  await clickhouse.command(
    `ALTER TABLE ${tables.stored(table)}${tables.onCluster} DELETE WHERE ${condition}`,
    parameters,
    // A subquery asks for sessions of the same shard, so each replica finds the same.
    { mutations_sync: '2', allow_nondeterministic_mutations: 1 },
  );
}
