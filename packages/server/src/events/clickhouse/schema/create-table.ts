import { deduplicationSettings } from './deduplication-window.ts';
import type { TableName } from './table-columns.ts';
import { quoteText, type TableNames } from './table-names.ts';

/** How a migration creates a table. */
export interface TableDefinition {
  /** With skip indexes and projections. */
  columns: string;
  engine: string;
  partitionBy?: string;
  orderBy: string;
  /** When rows are deleted; whole files at once, so it should follow the partition. */
  ttl?: string;
  /** Which shard of a cluster has a row. */
  shardBy: string;
}

/** Statements that create a table, if needed: one, or on a cluster the table of each shard and the one over all shards. */
export function createTable(
  names: TableNames,
  name: TableName,
  { columns, engine, partitionBy, orderBy, ttl, shardBy }: TableDefinition,
): string[] {
  const settings = [
    ...deduplicationSettings(names),
    ...(ttl === undefined ? [] : ['ttl_only_drop_parts = 1']),
  ];
  const statement = [
    `CREATE TABLE IF NOT EXISTS ${names.stored(name)}${names.onCluster} (${columns}`,
    `) ENGINE = ${names.cluster === undefined ? engine : `Replicated${engine}`}`,
    ...(partitionBy === undefined ? [] : [`PARTITION BY ${partitionBy}`]),
    `ORDER BY ${orderBy}`,
    ...(ttl === undefined ? [] : [`TTL ${ttl}`]),
    `SETTINGS ${settings.join(', ')}`,
  ].join('\n');
  if (names.cluster === undefined) return [statement];
  return [statement, distributedTable(names, name, shardBy)];
}

function distributedTable(names: TableNames, name: TableName, shardBy: string): string {
  const { cluster, database } = names;
  const shards = [cluster, database, `${name}_local`].map((it) => quoteText(it as string)).join(', ');
  return `CREATE TABLE IF NOT EXISTS ${names.of(name)}${names.onCluster} AS ${names.stored(name)}
ENGINE = Distributed(${shards}, ${shardBy})`;
}
