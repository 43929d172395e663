import type { Kysely } from 'kysely';
import type { DatabaseTables } from './database-tables.ts';
import type { Migration } from './migration.ts';

/** The database was written by a newer version than this one. */
class DatabaseTooNewError extends Error {
  override readonly name = 'DatabaseTooNewError';
}

/** Brings the schema up to date in one transaction; a process that starts at the same moment waits for it. */
export async function migrate(
  database: Kysely<DatabaseTables>,
  migrations: readonly Migration[],
): Promise<void> {
  // Most starts have nothing to do and should not wait for a writer.
  if ((await pendingMigrations(database, migrations)).length === 0) return;
  await database.transaction().execute(async (transaction) => {
    await transaction.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute();
    for (const migration of await pendingMigrations(transaction, migrations)) {
      await migration.up(transaction.schema, transaction as unknown as Kysely<unknown>);
      await transaction
        .insertInto('schema_migrations')
        .values({ name: migration.name, applied_at: Date.now() })
        .execute();
    }
  });
}

async function pendingMigrations(
  database: Kysely<DatabaseTables>,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = await appliedMigrations(database);
  const unknown = unknownMigrations(applied, migrations);
  if (unknown.length > 0) {
    throw new DatabaseTooNewError(
      `The configuration database was written by a newer version of Switchyard (it has ${unknown.join(', ')}). ` +
        'Run that version, or restore the backup made before the upgrade.',
    );
  }
  return migrations.filter((migration) => !applied.includes(migration.name));
}

export function unknownMigrations(applied: readonly string[], known: readonly Migration[]): string[] {
  return applied.filter((name) => !known.some((migration) => migration.name === name));
}

async function appliedMigrations(database: Kysely<DatabaseTables>): Promise<string[]> {
  const tables = await database.introspection.getTables();
  if (!tables.some((table) => table.name === 'schema_migrations')) return [];
  const rows = await database.selectFrom('schema_migrations').select('name').execute();
  return rows.map((row) => row.name);
}
