import { type Kysely, Migrator } from 'kysely';
import type { DatabaseTables } from '../tables/database-tables.ts';
import type { Migration } from './migration.ts';

/** The table in which Kysely records applied migrations. */
export const MIGRATION_TABLE = 'kysely_migration';

/** The database was written by a newer version than this one. */
class DatabaseTooNewError extends Error {
  override readonly name = 'DatabaseTooNewError';

  constructor(unknown: readonly string[]) {
    super(
      `The configuration database was written by a newer version of Switchyard (it has ${unknown.join(', ')}). ` +
        'Run that version, or restore the backup made before the upgrade.',
    );
  }
}

/** Whether all migrations were applied; throws if there are more than this version knows. */
export async function isMigrated(
  database: Kysely<DatabaseTables>,
  migrations: readonly Migration[],
): Promise<boolean> {
  const applied = await readAppliedMigrations(database);
  const unknown = unknownMigrations(applied, migrations);
  if (unknown.length > 0) throw new DatabaseTooNewError(unknown);
  return applied.length === migrations.length;
}

/** None if the database is empty. */
export async function readAppliedMigrations(database: Kysely<DatabaseTables>): Promise<string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === MIGRATION_TABLE)) return [];
  const rows = await database.selectFrom(MIGRATION_TABLE).select('name').execute();
  return rows.map(({ name }) => name);
}

/** Migrates the schema in one transaction; a process that starts at the same time waits for it. */
export async function migrate(
  database: Kysely<DatabaseTables>,
  migrations: readonly Migration[],
): Promise<void> {
  // The common case: nothing to do, so do not wait for a writer.
  if (await isMigrated(database, migrations)) return;
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => Object.fromEntries(migrations.map(forKysely)) },
    // Kysely orders applied migrations by time, which a clock set back between two upgrades would break.
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

function forKysely({ name, up }: Migration) {
  return [name, { up: (database: Kysely<unknown>) => up(database.schema, database) }] as const;
}

export function unknownMigrations(applied: readonly string[], known: readonly Migration[]): string[] {
  return applied.filter((name) => !known.some((migration) => migration.name === name));
}
