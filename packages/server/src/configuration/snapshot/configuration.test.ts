import { DEFAULT_PRIVACY } from '@switchyard/core/api/privacy';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import { engines, type TestDatabase } from '@switchyard/testing/configuration/databases';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { propertyRows } from '../../features/properties/property-store.ts';
import { configurationModel } from '../../start/definitions.ts';
import type { DatabaseHandle } from '../database/database.ts';
import { ConfigurationModel } from '../definitions/configuration-model.ts';
import { OPERATOR } from '../property/actor.ts';
import { ConfigurationWriter } from '../writer/configuration-writer.ts';
import { type Configuration, type ConfigurationChange, openConfiguration } from './configuration.ts';

describe.each(engines())('$name', (engine) => {
  const settings = { name: 'Shop', retentionDays: 30, allowedOrigins: ['https://shop.example'], holdout: 0 };

  const addGoal = ({ database }: DatabaseHandle, id: string) =>
    provisionDatabase(database, { id: 'shop', goals: [{ id, kind: 'count' }] });

  /** Creates a key and returns its text. */
  async function addKey({ database }: DatabaseHandle, kind: 'public' | 'secret', name: string) {
    const { generatedKeys } = await provisionDatabase(database, { id: 'shop', apiKeys: [{ kind, name }] });
    return generatedKeys[0]!.text;
  }

  async function removeKeys({ database }: DatabaseHandle): Promise<void> {
    const writer = new ConfigurationWriter(database, configurationModel);
    await writer.changeProperty('shop', { actor: OPERATOR, via: 'cli' }, ({ current }) => {
      return current && { ...current, apiKeys: [] };
    });
  }

  let stored: TestDatabase;
  let handle: DatabaseHandle;
  /** Stands for another process. */
  let other: DatabaseHandle;
  let configuration: Configuration;

  beforeEach(async () => {
    stored = await engine.create();
    handle = await stored.open();
    other = await stored.open();
    await provisionDatabase(handle.database, { id: 'shop', ...settings }, { id: 'blog', ...settings });
    configuration = await openConfiguration(handle, configurationModel);
  });

  afterEach(async () => {
    await configuration.close();
    await other.close();
    await handle.close();
    await stored.remove();
  });

  test('loads every property with the default environment', () => {
    expect(configuration.properties().map((property) => property.id)).toEqual(['shop', 'blog']);
    expect(configuration.property('shop')).toEqual({
      id: 'shop',
      ...settings,
      holdoutPeriod: null,
      aaTest: 'assignment',
      displayCurrency: 'USD',
      timeZone: 'UTC',
      privacy: DEFAULT_PRIVACY,
      hashSeed: expect.stringMatching(/^[0-9a-f]{16}$/),
      statistics: DEFAULT_STATISTICS,
      environments: [{ id: 'production', name: 'Production', protected: false, version: 1 }],
      splitTests: [],
      flags: [],
      segments: [],
      goals: [],
      metrics: [],
      feedbackTypes: [],
      webhooks: [],
      members: [],
      apiKeys: [],
      createdAt: expect.any(Number),
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
    await addGoal(handle, 'signup');
    await configuration.reload();
    expect(configuration.property('shop')?.goals).toHaveLength(1);
    expect(configuration.property('shop')?.version).toBe(2);
    expect(configuration.property('blog')).toBe(blog);
    expect(changes).toEqual([
      { propertyId: 'shop', previous: shop, current: configuration.property('shop') },
    ]);
    expect(configuration.version).toBe(version + 1);
    await configuration.reload();
    expect(configuration.version).toBe(version + 1);
    stop();
    await addGoal(handle, 'second');
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
    await provisionDatabase(other.database, { id: 'docs', ...settings });
    await waitFor('both changes', () => changes.length === 2);
    // One reload may find both, or each its own.
    expect(changes.toSorted((a, b) => a.propertyId.localeCompare(b.propertyId))).toEqual([
      { propertyId: 'blog', previous: blog },
      { propertyId: 'docs', previous: undefined, current: configuration.property('docs') },
    ]);
    expect(configuration.property('blog')).toBeUndefined();
  });

  test('a key is found by its text until another process deletes it', async () => {
    const text = await addKey(other, 'secret', 'backend');
    await waitFor('the key', () => configuration.keyByText(text) !== undefined);
    const key = configuration.keyByText(text);
    expect(key).toMatchObject({ propertyId: 'shop', kind: 'secret', name: 'backend', publicKey: null });
    expect(configuration.keyByText(text)).toBe(key);
    expect(configuration.keyByText(`${text}x`)).toBeUndefined();
    expect(configuration.keyByText('x'.repeat(100_000))).toBeUndefined();
    const [stored] = await configurationModel.collection('key').rows.list(other.database, 'shop');
    expect(JSON.stringify(stored)).not.toContain(text.slice(16, -4));
    await removeKeys(other);
    await waitFor('the deletion', () => configuration.keyByText(text) === undefined);
  });

  test('a key that is deleted and created for another property belongs to that property', async () => {
    const text = await addKey(handle, 'public', 'web');
    await configuration.reload();
    expect(configuration.keyByText(text)).toMatchObject({ propertyId: 'shop', publicKey: text });
    await removeKeys(handle);
    const apiKeys = [{ kind: 'public' as const, name: 'web', key: text }];
    await provisionDatabase(handle.database, { id: 'blog', apiKeys });
    await configuration.reload();
    expect(configuration.keyByText(text)?.propertyId).toBe('blog');
  });

  test('a property deleted and recreated between two reloads is loaded again', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    await propertyRows.remove(other.database, 'shop');
    await provisionDatabase(other.database, { id: 'shop', ...settings, name: 'Another shop' });
    await configuration.reload();
    expect(configuration.property('shop')?.name).toBe('Another shop');
  });

  test('concurrent reloads end in the newest state', async () => {
    const reloads = [];
    for (let index = 0; index < 20; index++) {
      await addGoal(handle, `goal-${index}`);
      reloads.push(configuration.reload());
    }
    await Promise.all(reloads);
    expect(configuration.property('shop')?.goals).toHaveLength(20);
  });

  test('a failed reload is reported, keeps the last good state, and is retried', async () => {
    const errors: unknown[] = [];
    let broken = false;
    const { property, collections } = configurationModel;
    const model = new ConfigurationModel(
      {
        ...property,
        rows: {
          ...property.rows,
          list: async (database, id) => {
            if (broken) throw new Error('broken');
            return property.rows.list(database, id);
          },
        },
      },
      collections,
    );
    const fragile = await openConfiguration(handle, model, { onError: (error) => errors.push(error) });
    broken = true;
    await addGoal(other, 'signup');
    await waitFor('an error', () => errors.length > 0);
    expect(fragile.property('shop')?.goals).toEqual([]);
    broken = false;
    await waitFor('the goal', () => fragile.property('shop')?.goals.length === 1);
    expect(errors).toHaveLength(1);
    await fragile.close();
  });
});
