import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databasePath, openDatabase, openMemoryDatabase } from '../configuration/database/open-database.ts';
import { holdoutPeriodMigration } from './migrations/022-holdout-period.ts';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import type { Migration } from './migrations/migration.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-database-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const failing: Migration = {
  name: '999-fails',
  async up(schema) {
    await schema.createTable('half_done').addColumn('id', 'text').execute();
    throw new Error('this migration fails');
  },
};

function tableNames(): string[] {
  const connection = new DatabaseSync(databasePath(dataDir));
  const rows = connection.prepare("select name from sqlite_master where type = 'table' order by name").all();
  connection.close();
  return rows.map((row) => row.name);
}

test('opens with durable and private settings', async () => {
  const handle = await openDatabase(dataDir);
  const pragma = async (name: string) => {
    const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(handle.database);
    return Object.values(rows[0] ?? {})[0];
  };
  expect(await pragma('journal_mode')).toBe('wal');
  expect(await pragma('synchronous')).toBe(2);
  expect(await pragma('foreign_keys')).toBe(1);
  expect(await pragma('secure_delete')).toBe(1);
  expect(statSync(databasePath(dataDir)).mode & 0o077).toBe(0);
  await handle.close();
});

test('migrations are in numbered order, and a second start changes nothing', async () => {
  const names = ALL_MIGRATIONS.map((migration) => migration.name);
  expect(names).toEqual([...names].sort());
  expect(new Set(names).size).toBe(names.length);
  await (await openDatabase(dataDir)).close();
  const tables = tableNames();
  const handle = await openDatabase(dataDir);
  const applied = await handle.database.selectFrom('kysely_migration').select('name').execute();
  expect(applied.map((row) => row.name)).toEqual(names);
  await handle.close();
  expect(tableNames()).toEqual(tables);
});

test('a failing migration is rolled back together with those before it', async () => {
  await expect(openDatabase(dataDir, { migrations: [...ALL_MIGRATIONS, failing] })).rejects.toThrow(
    'this migration fails',
  );
  expect(tableNames().filter((name) => !name.startsWith('kysely_'))).toEqual([]);
  await (await openDatabase(dataDir)).close();
  const before = tableNames();
  await expect(openDatabase(dataDir, { migrations: [...ALL_MIGRATIONS, failing] })).rejects.toThrow(
    'this migration fails',
  );
  expect(tableNames()).toEqual(before);
});

/** A row that every version of the table takes. */
const PROPERTY = {
  id: 'shop',
  name: 'Shop',
  hash_seed: 'seed',
  holdout: 5,
  version: 1,
  position: 1,
  created_at: 1_700_000_000_000,
  updated_at: 1_700_000_000_001,
};

test('a holdout of an older database has been in force since the property was last saved', async () => {
  const before = ALL_MIGRATIONS.slice(0, ALL_MIGRATIONS.indexOf(holdoutPeriodMigration));
  const old = await openDatabase(dataDir, { migrations: before });
  const without = { ...PROPERTY, id: 'other', holdout: 0, position: 2 };
  await old.database.insertInto('properties').values([PROPERTY, without]).execute();
  await old.close();
  const { database, close } = await openDatabase(dataDir);
  const periods = database.selectFrom('properties').select(['holdout_since', 'holdout_largest']);
  expect(await periods.orderBy('position').execute()).toEqual([
    { holdout_since: PROPERTY.updated_at, holdout_largest: 5 },
    { holdout_since: null, holdout_largest: null },
  ]);
  await close();
});

test('a database with the old migration table is upgraded without losing data', async () => {
  const before = ALL_MIGRATIONS.slice(0, -1);
  const handle = await openDatabase(dataDir, { migrations: before });
  const names = before.map(({ name }) => name);
  await handle.database.schema.dropTable('kysely_migration').execute();
  await handle.database.schema.dropTable('kysely_migration_lock').execute();
  await handle.database.schema
    .createTable('schema_migrations')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  // As if the clock was set back with every upgrade.
  const rows = names.map((name, index) => ({ name, applied_at: 1_700_000_000_000 - index }));
  await handle.database.insertInto('schema_migrations').values(rows).execute();
  await handle.database.insertInto('properties').values(PROPERTY).execute();
  await handle.close();

  await expect(openDatabase(dataDir, { migrations: before.slice(0, -1) })).rejects.toThrow(
    `newer version of Switchyard (it has ${names.at(-1)})`,
  );
  const opened = await Promise.all([openDatabase(dataDir), openDatabase(dataDir)]);
  const { database } = opened[0];
  const applied = await database.selectFrom('kysely_migration').selectAll().orderBy('name').execute();
  expect(applied.map(({ name }) => name)).toEqual(ALL_MIGRATIONS.map(({ name }) => name));
  expect(applied[1]).toEqual({ name: names[1], timestamp: '2023-11-14T22:13:19.999Z' });
  expect(await database.selectFrom('properties').select('id').execute()).toEqual([{ id: 'shop' }]);
  await Promise.all(opened.map((each) => each.close()));
  expect(tableNames()).not.toContain('schema_migrations');
});

test('concurrent first starts all find a complete schema', async () => {
  const opened = await Promise.all([openDatabase(dataDir), openDatabase(dataDir), openDatabase(dataDir)]);
  for (const { database } of opened) {
    const applied = await database.selectFrom('kysely_migration').select('name').execute();
    expect(applied).toHaveLength(ALL_MIGRATIONS.length);
  }
  await Promise.all(opened.map((each) => each.close()));
});

test('a database from a newer version is rejected and left unchanged', async () => {
  await (await openDatabase(dataDir)).close();
  await expect(openDatabase(dataDir, { migrations: ALL_MIGRATIONS.slice(0, -1) })).rejects.toThrow(
    `newer version of Switchyard (it has ${ALL_MIGRATIONS.at(-1)?.name})`,
  );
});

test('a failed transaction is rolled back, and the next one works', async () => {
  const handle = await openMemoryDatabase();
  const insert = (id: string) => {
    return { id, name: id, hash_seed: id, holdout: 0, version: 1, position: 1, created_at: 1, updated_at: 1 };
  };
  await expect(
    handle.database.transaction().execute(async (transaction) => {
      await transaction.insertInto('properties').values(insert('a')).execute();
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await handle.database
    .transaction()
    .execute((transaction) => transaction.insertInto('properties').values(insert('b')).execute());
  expect(await handle.database.selectFrom('properties').select('id').execute()).toEqual([{ id: 'b' }]);
  await handle.close();
});
