import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { MIGRATION_TABLE, OLD_MIGRATION_TABLE } from './migrate.ts';

/** The names of the migrations that a database has, read without changing it. */
export function appliedMigrations(connection: DatabaseSyncInstance): string[] {
  const names = (from: string) =>
    connection
      .prepare(`select name from ${from} order by name`)
      .all()
      .map((row) => String(row.name));
  const tables = names('sqlite_master');
  return names(tables.includes(OLD_MIGRATION_TABLE) ? OLD_MIGRATION_TABLE : MIGRATION_TABLE);
}
