import type { TableName } from './table-columns.ts';

/** The qualified names of the tables, on one server or on a cluster. */
export class TableNames {
  readonly database: string;
  readonly cluster: string | undefined;

  constructor(database: string, cluster?: string) {
    this.database = database;
    this.cluster = cluster;
  }

  /** For reading and inserting. */
  of(table: TableName): string {
    return `${quoteName(this.database)}.${table}`;
  }

  /** For reading what any replica has already, although others do not have it yet. Rows can be there several times. */
  onAllReplicas(table: TableName): string {
    if (this.cluster === undefined) return this.of(table);
    const [cluster, database, name] = [this.cluster, this.database, `${table}_local`].map(quoteText);
    return `clusterAllReplicas(${cluster}, ${database}, ${name})`;
  }

  /** The table that has the rows, of this shard if there are several; for ALTER. */
  stored(table: TableName): string {
    return this.cluster === undefined ? this.of(table) : `${this.of(table)}_local`;
  }

  /** Part of a statement after the name of the table, so that all servers run it. */
  get onCluster(): string {
    return this.cluster === undefined ? '' : ` ON CLUSTER ${quoteName(this.cluster)}`;
  }
}

/** Only for what cannot be bound: names of databases and clusters. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/** Only for what cannot be bound: texts in the definition of a table. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
