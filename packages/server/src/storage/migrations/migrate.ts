import { type Kysely, Migrator } from 'kysely';
import type { DatabaseTables } from './database-tables.ts';
import type { Migration } from './migration.ts';

/** The table in which Kysely records applied migrations, and the one used before Kysely. */
export const MIGRATION_TABLE = 'kysely_migration';
export const OLD_MIGRATION_TABLE = 'schema_migrations';

/** The database was written by a newer version than this one. */
class DatabaseTooNewError extends Error {
  override readonly name = 'DatabaseTooNewError';
}

/** Whether all migrations were applied; throws if there are more than this version knows. */
export async function isMigrated(
  database: Kysely<DatabaseTables>,
  migrations: readonly Migration[],
): Promise<boolean> {
  const { table, applied } = await readState(database);
  assertNotNewer(applied, migrations);
  return table === MIGRATION_TABLE && applied.length === migrations.length;
}

export async function readAppliedMigrations(database: Kysely<DatabaseTables>): Promise<string[]> {
  return (await readState(database)).applied;
}

/** Migrates the schema in one transaction; a process that starts at the same time waits for it. */
export async function migrate(
  database: Kysely<DatabaseTables>,
  migrations: readonly Migration[],
): Promise<void> {
  const { table, applied } = await readState(database);
  assertNotNewer(applied, migrations);
  if (table === OLD_MIGRATION_TABLE) await moveRecords(database);
  // The common case: nothing to do, so do not wait for a writer.
  else if (applied.length === migrations.length) return;
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

interface MigrationState {
  table?: typeof MIGRATION_TABLE | typeof OLD_MIGRATION_TABLE;
  applied: string[];
}

async function readState(database: Kysely<DatabaseTables>): Promise<MigrationState> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  const table = ([OLD_MIGRATION_TABLE, MIGRATION_TABLE] as const).find((name) =>
    tables.some((each) => each.name === name),
  );
  if (table === undefined) return { applied: [] };
  const rows = await database.selectFrom(table).select('name').execute();
  return { table, applied: rows.map(({ name }) => name) };
}

/** Moves the records of older versions to the table of Kysely's migrator. */
function moveRecords(database: Kysely<DatabaseTables>): Promise<void> {
  return database.transaction().execute(async (transaction) => {
    // Another process may have done it already.
    if ((await readState(transaction)).table !== OLD_MIGRATION_TABLE) return;
    await transaction.schema
      .createTable(MIGRATION_TABLE)
      .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
      .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
      .execute();
    const rows = await transaction.selectFrom(OLD_MIGRATION_TABLE).selectAll().execute();
    await transaction
      .insertInto(MIGRATION_TABLE)
      .values(rows.map(({ name, applied_at }) => ({ name, timestamp: new Date(applied_at).toISOString() })))
      .execute();
    await transaction.schema.dropTable(OLD_MIGRATION_TABLE).execute();
  });
}

function assertNotNewer(applied: readonly string[], migrations: readonly Migration[]): void {
  const unknown = unknownMigrations(applied, migrations);
  if (unknown.length === 0) return;
  throw new DatabaseTooNewError(
    `The configuration database was written by a newer version of Switchyard (it has ${unknown.join(', ')}). ` +
      'Run that version, or restore the backup made before the upgrade.',
  );
}

export function unknownMigrations(applied: readonly string[], known: readonly Migration[]): string[] {
  return applied.filter((name) => !known.some((migration) => migration.name === name));
}
