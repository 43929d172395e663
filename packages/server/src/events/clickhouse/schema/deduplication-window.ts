import { ERASURES_SOURCE } from '../../store/event-store.ts';
import type { ClickHouse } from '../connection/clickhouse-client.ts';
import { SqlValues } from '../connection/sql-values.ts';
import { COLUMNS, type TableName } from './table-columns.ts';
import type { TableNames } from './table-names.ts';

/** What a node inserts into a table in the time in which it repeats a batch without looking, at 33 inserts per second. */
const INSERTS_PER_NODE = 10_000;
const SECONDS = 7 * 24 * 60 * 60;

/** The settings of a table with which the server recognizes repeated inserts. */
export function deduplicationSettings(names: TableNames, nodes = 1): string[] {
  // A power of two, so that it seldom changes.
  const window = INSERTS_PER_NODE * 2 ** Math.ceil(Math.log2(Math.max(1, nodes)));
  if (names.cluster === undefined) return [`non_replicated_deduplication_window = ${window}`];
  return [
    `replicated_deduplication_window = ${window}`,
    `replicated_deduplication_window_seconds = ${SECONDS}`,
  ];
}

/** Changes the settings of the tables if other nodes have come or gone. Several nodes may do it at the same time. */
export async function followNodes(clickhouse: ClickHouse): Promise<void> {
  const { tables } = clickhouse;
  const settings = deduplicationSettings(tables, await countNodes(clickhouse));
  for (const table of await tablesWithout(clickhouse, settings[0]!)) {
    await clickhouse.command(
      `ALTER TABLE ${tables.stored(table)}${tables.onCluster} MODIFY SETTING ${settings.join(', ')}`,
    );
  }
}

/** Those that have stored anything lately. */
async function countNodes(clickhouse: ClickHouse): Promise<number> {
  const values = new SqlValues();
  const rows = await clickhouse.rows<[string]>(
    `SELECT uniqExact(source) FROM ${clickhouse.tables.of('watermarks')}
     WHERE stored_at > now() - INTERVAL 1 DAY AND source <> ${values.text(ERASURES_SOURCE)}`,
    values.parameters,
  );
  return Number(rows[0]![0]);
}

async function tablesWithout(clickhouse: ClickHouse, setting: string): Promise<TableName[]> {
  const { database, cluster } = clickhouse.tables;
  const nameOf = (table: TableName) => (cluster === undefined ? table : `${table}_local`);
  const values = new SqlValues();
  const rows = await clickhouse.rows<[string]>(
    `SELECT name FROM system.tables WHERE database = ${values.text(database)}
     AND NOT match(create_table_query, ${values.text(`\\b${setting}\\b`)})`,
    values.parameters,
  );
  const found = new Set(rows.map(([name]) => name));
  return (Object.keys(COLUMNS) as TableName[]).filter((table) => found.has(nameOf(table)));
}
