import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts';
import type { Migration } from './migrations/migration.ts';
import { databasePath, openDatabase, openMemoryDatabase } from './open-database.ts';

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

/** What a later version may add. */
const adding = (name: string): Migration => ({
  name,
  async up(schema) {
    await schema
      .alterTable('goals')
      .addColumn(`from_${name.slice(0, 3)}`, 'text')
      .execute();
  },
});

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

test('an older database is migrated without losing data, although the clock was set back', async () => {
  const older = [...ALL_MIGRATIONS, adding('998-older')];
  const { database: old, close } = await openDatabase(dataDir, { migrations: older });
  await old.insertInto('properties').values(PROPERTY).execute();
  // Each applied before the one that it follows.
  for (const [index, { name }] of older.entries()) {
    const timestamp = new Date(1_700_000_000_000 - index).toISOString();
    await old.updateTable('kysely_migration').set({ timestamp }).where('name', '=', name).execute();
  }
  await close();

  const migrations = [...older, adding('999-newer')];
  const opened = await Promise.all([
    openDatabase(dataDir, { migrations }),
    openDatabase(dataDir, { migrations }),
  ]);
  const { database } = opened[0];
  const applied = await database.selectFrom('kysely_migration').select('name').orderBy('name').execute();
  expect(applied).toEqual(migrations.map(({ name }) => ({ name })));
  expect(await database.selectFrom('properties').select('id').execute()).toEqual([{ id: 'shop' }]);
  await Promise.all(opened.map((each) => each.close()));
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
  const newer = adding('999-newer');
  await (await openDatabase(dataDir, { migrations: [...ALL_MIGRATIONS, newer] })).close();
  await expect(openDatabase(dataDir)).rejects.toThrow('newer version of Switchyard (it has 999-newer)');
  const { database, close } = await openDatabase(dataDir, { migrations: [...ALL_MIGRATIONS, newer] });
  const applied = await database.selectFrom('kysely_migration').select('name').execute();
  expect(applied).toHaveLength(ALL_MIGRATIONS.length + 1);
  await close();
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
