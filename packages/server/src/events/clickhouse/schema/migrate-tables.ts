import type { ClickHouse } from '../connection/clickhouse-client.ts';
import { isUnknown } from '../connection/clickhouse-error.ts';
import { createTable } from './create-table.ts';
import { COLUMNS, type TableName } from './table-columns.ts';
import { quoteName, type TableNames } from './table-names.ts';
import { FIRST_TABLES } from './tables-of-schema-1.ts';

/**
 * One entry per version: its statements. Never change a released entry. Every statement can be repeated, because several
 * nodes may run it at once, and works with nodes of the previous version.
 */
const MIGRATIONS: readonly ((names: TableNames) => string[])[] = [
  (names) =>
    Object.entries(FIRST_TABLES).flatMap(([name, table]) => createTable(names, name as TableName, table)),
];

/** Creates or upgrades the tables. Several nodes may do it at the same time. */
export async function migrateTables(
  clickhouse: ClickHouse,
  log: (message: string) => void = () => {},
): Promise<void> {
  const version = await readVersion(clickhouse);
  if (version > MIGRATIONS.length) throw tooNew(version);
  if (version === MIGRATIONS.length) return;
  const { tables } = clickhouse;
  if (version > 0) {
    log(`Upgrading the tables in ClickHouse from schema ${version} to ${MIGRATIONS.length}.`);
  }
  for (const statements of MIGRATIONS.slice(version)) {
    for (const statement of statements(tables)) await clickhouse.command(statement);
  }
  await clickhouse.insert(
    'schema_versions',
    COLUMNS.schema_versions,
    [[MIGRATIONS.length]],
    `${MIGRATIONS.length}`,
  );
}

/** 0 if there are no tables. */
async function readVersion(clickhouse: ClickHouse): Promise<number> {
  const { tables } = clickhouse;
  try {
    const rows = await clickhouse.rows<[number]>(`SELECT max(version) FROM ${tables.of('schema_versions')}`);
    return rows[0]?.[0] ?? 0;
  } catch (error) {
    if (isUnknown(error, 'TABLE')) return 0;
    if (!isUnknown(error, 'DATABASE')) throw error;
    // Only if it is missing, because the user may not be allowed to create databases.
    await clickhouse.command(
      `CREATE DATABASE IF NOT EXISTS ${quoteName(tables.database)}${tables.onCluster}`,
    );
    return 0;
  }
}

const tooNew = (version: number) =>
  Object.assign(
    new Error(
      `The tables in ClickHouse were written by a newer version of Switchyard (they have schema ${version}, this version ` +
        `supports up to ${MIGRATIONS.length}). Run that version.`,
    ),
    { code: 'UNKNOWN_SCHEMA' },
  );
