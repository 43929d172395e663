import { TABLES, type TableDefinition, type TableName } from './clickhouse-tables.ts';
import { quoteText, type TableNames } from './table-names.ts';

/** How long a repeated insert is recognized. */
const DEDUPLICATION_WINDOW = 10_000;
const DEDUPLICATION_SECONDS = 7 * 24 * 60 * 60;

/** Statements that create a table, if needed: one, or on a cluster the table of each shard and the one over all shards. */
export function createTable(names: TableNames, name: TableName): string[] {
  const table: TableDefinition = TABLES[name];
  const { engine = 'MergeTree', partitionBy, orderBy, ttl, shardBy } = table;
  const statement = [
    `CREATE TABLE IF NOT EXISTS ${names.stored(name)}${names.onCluster} (`,
    [...table.columns, ...(table.indexes ?? [])].map((line) => `  ${line}`).join(',\n'),
    `) ENGINE = ${names.cluster === undefined ? engine : `Replicated${engine}`}`,
    ...(partitionBy === undefined ? [] : [`PARTITION BY ${partitionBy}`]),
    `ORDER BY ${orderBy}`,
    ...(ttl === undefined ? [] : [`TTL ${ttl}`]),
    `SETTINGS ${names.cluster === undefined ? SETTINGS : CLUSTER_SETTINGS}${ttl === undefined ? '' : ', ttl_only_drop_parts = 1'}`,
  ].join('\n');
  if (names.cluster === undefined) return [statement];
  return [statement, distributedTable(names, name, shardBy)];
}

const SETTINGS = `non_replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`;
const CLUSTER_SETTINGS =
  `replicated_deduplication_window = ${DEDUPLICATION_WINDOW}, ` +
  `replicated_deduplication_window_seconds = ${DEDUPLICATION_SECONDS}`;

function distributedTable(names: TableNames, name: TableName, shardBy: string): string {
  const { cluster, database } = names;
  const shards = [cluster, database, `${name}_local`].map((it) => quoteText(it as string)).join(', ');
  return `CREATE TABLE IF NOT EXISTS ${names.of(name)}${names.onCluster} AS ${names.stored(name)}
ENGINE = Distributed(${shards}, ${shardBy})`;
}
