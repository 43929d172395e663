import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { MIGRATION_TABLE } from './migrate.ts';

/** The names of the migrations that a database has, read without changing it. */
export function appliedMigrations(connection: DatabaseSyncInstance): string[] {
  return connection
    .prepare(`select name from ${MIGRATION_TABLE} order by name`)
    .all()
    .map((row) => String(row.name));
}
