import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configurationStores } from '../configuration-stores.ts';
import { createGoal } from '../features/goals/goal-store.ts';
import { createKey, deleteKey, listKeys } from '../features/keys/key-store.ts';
import { createProperty } from '../features/properties/property-store.ts';
import { waitFor } from '../testing/wait.ts';
import { type Configuration, type ConfigurationChange, openConfiguration } from './configuration.ts';
import { type Database, type DatabaseHandle, openDatabase } from './database.ts';

const settings = { name: 'Shop', retentionDays: 30, allowedOrigins: ['https://shop.example'], holdout: 0 };

let dataDir: string;
let handle: DatabaseHandle;
/** Stands for another process. */
let other: DatabaseHandle;
let configuration: Configuration;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-configuration-'));
  handle = await openDatabase(dataDir);
  other = await openDatabase(dataDir);
  await createProperty(handle.database, 'shop', settings);
  await createProperty(handle.database, 'blog', { ...settings, allowedOrigins: null });
  configuration = await openConfiguration(handle, configurationStores);
});

afterEach(async () => {
  await configuration.close();
  await other.close();
  await handle.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('loads every property with the default environment', () => {
  expect(configuration.properties().map((property) => property.id)).toEqual(['shop', 'blog']);
  expect(configuration.property('shop')).toEqual({
    id: 'shop',
    ...settings,
    aaTest: 'assignment',
    displayCurrency: 'USD',
    hashSeed: expect.stringMatching(/^[0-9a-f]{16}$/),
    statistics: DEFAULT_STATISTICS,
    environments: [{ id: 'production', name: 'Production', protected: false }],
    splitTests: [],
    flags: [],
    segments: [],
    goals: [],
    feedbackTypes: [],
    webhooks: [],
    members: [],
    version: 1,
  });
  expect(configuration.property('constructor')).toBeUndefined();
  expect(Object.isFrozen(configuration.property('shop')?.environments[0])).toBe(true);
});

test('a change is visible after a reload, and unchanged properties keep their object', async () => {
  const changes: ConfigurationChange[] = [];
  const stop = configuration.onChange((change) => changes.push(change));
  const { version } = configuration;
  const [shop, blog] = [configuration.property('shop'), configuration.property('blog')];
  await createGoal(handle.database, 'shop', {
    id: 'signup',
    name: 'Sign-ups',
    kind: 'count',
    lowerIsBetter: false,
    target: null,
  });
  await configuration.reload();
  expect(configuration.property('shop')?.goals).toHaveLength(1);
  expect(configuration.property('shop')?.version).toBe(2);
  expect(configuration.property('blog')).toBe(blog);
  expect(changes).toEqual([{ propertyId: 'shop', previous: shop, current: configuration.property('shop') }]);
  expect(configuration.version).toBe(version + 1);
  await configuration.reload();
  expect(configuration.version).toBe(version + 1);
  stop();
  await createGoal(handle.database, 'shop', {
    id: 'second',
    name: 'Second',
    kind: 'count',
    lowerIsBetter: false,
    target: null,
  });
  await configuration.reload();
  expect(changes).toHaveLength(1);
});

test('listeners are notified of new and deleted properties, even after a listener that throws', async () => {
  const changes: ConfigurationChange[] = [];
  configuration.onChange(() => {
    throw new Error('a listener is broken');
  });
  configuration.onChange((change) => changes.push(change));
  const blog = configuration.property('blog');
  await other.database.deleteFrom('properties').where('id', '=', 'blog').execute();
  await createProperty(other.database, 'docs', settings);
  await waitFor('both changes', () => changes.length === 2);
  expect(changes).toEqual([
    { propertyId: 'docs', previous: undefined, current: configuration.property('docs') },
    { propertyId: 'blog', previous: blog },
  ]);
  expect(configuration.property('blog')).toBeUndefined();
});

test('a key is found by its text until another process deletes it', async () => {
  const text = await createKey(other.database, 'shop', { kind: 'secret', name: 'backend' });
  await waitFor('the key', () => configuration.keyByText(text) !== undefined);
  const key = configuration.keyByText(text);
  expect(key).toMatchObject({ propertyId: 'shop', kind: 'secret', name: 'backend', publicKey: null });
  expect(configuration.keyByText(text)).toBe(key);
  expect(configuration.keyByText(`${text}x`)).toBeUndefined();
  expect(configuration.keyByText('x'.repeat(100_000))).toBeUndefined();
  const [stored] = await listKeys(other.database);
  expect(JSON.stringify(stored)).not.toContain(text.slice(16, -4));
  expect(await deleteKey(other.database, stored?.id ?? '')).toBe(true);
  await waitFor('the deletion', () => configuration.keyByText(text) === undefined);
});

test('a key that is deleted and created for another property belongs to that property', async () => {
  const text = await createKey(handle.database, 'shop', { kind: 'public', name: 'web' });
  await configuration.reload();
  expect(configuration.keyByText(text)).toMatchObject({ propertyId: 'shop', publicKey: text });
  const [stored] = await listKeys(handle.database);
  await deleteKey(handle.database, stored?.id ?? '');
  await createKey(handle.database, 'blog', { kind: 'public', name: 'web', text });
  await configuration.reload();
  expect(configuration.keyByText(text)?.propertyId).toBe('blog');
});

test('a property deleted and recreated between two reloads is loaded again', async () => {
  await new Promise((resolve) => setTimeout(resolve, 2));
  await other.database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('properties').where('id', '=', 'shop').execute();
    await createProperty(transaction, 'shop', { ...settings, name: 'Another shop' });
  });
  await configuration.reload();
  expect(configuration.property('shop')?.name).toBe('Another shop');
});

test('concurrent reloads end in the newest state', async () => {
  const reloads = [];
  for (let index = 0; index < 20; index++) {
    await createGoal(handle.database, 'shop', {
      id: `goal-${index}`,
      name: 'Goal',
      kind: 'count',
      lowerIsBetter: false,
      target: null,
    });
    reloads.push(configuration.reload());
  }
  await Promise.all(reloads);
  expect(configuration.property('shop')?.goals).toHaveLength(20);
});

test('a failed reload is reported, keeps the last good state, and is retried', async () => {
  const errors: unknown[] = [];
  let broken = false;
  const loaders = {
    ...configurationStores,
    listKeys: (database: Database) => (broken ? Promise.reject(new Error('broken')) : listKeys(database)),
  };
  const fragile = await openConfiguration(handle, loaders, { onError: (error) => errors.push(error) });
  broken = true;
  await createGoal(other.database, 'shop', {
    id: 'signup',
    name: 'Sign-ups',
    kind: 'count',
    lowerIsBetter: false,
    target: null,
  });
  await waitFor('an error', () => errors.length > 0);
  expect(fragile.property('shop')?.goals).toEqual([]);
  broken = false;
  await waitFor('the goal', () => fragile.property('shop')?.goals.length === 1);
  expect(errors).toHaveLength(1);
  await fragile.close();
});
