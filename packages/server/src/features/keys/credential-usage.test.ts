import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop } from '@switchyard/testing/fixtures/shop';
import { switchyard } from '@switchyard/testing/server/command-line';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CredentialUsage } from '../../http/access/credential-usage.ts';
import { deleteUsageOfDeletedKeys, lastUsedOf, saveLastUsed } from './credential-usage-store.ts';
import { keyRows } from './key-store.ts';

describe.each(engines())('$name', (engine) => {
  let configuration: MemoryConfiguration;
  const database = () => configuration.handle.database;
  beforeEach(async () => {
    configuration = await openMemoryConfiguration(engine);
  });
  afterEach(() => configuration.handle.close());

  test('the latest use of each credential is kept', async () => {
    await saveLastUsed(database(), ['a', 'b'], 100);
    await saveLastUsed(database(), ['a', 'c'], 90);
    await saveLastUsed(database(), ['c'], 200);
    const usage = await lastUsedOf(database(), ['a', 'b', 'c', 'unknown']);
    expect([...usage].sort()).toEqual([
      ['a', 100],
      ['b', 100],
      ['c', 200],
    ]);
  });

  test('a use that could not be saved is saved by the next flush, and each only once', async () => {
    const usage = new CredentialUsage();
    const saved: string[][] = [];
    const save = async (ids: readonly string[]) => void saved.push([...ids].sort());
    usage.touch('a');
    usage.touch('a');
    await expect(
      usage.flush(async () => {
        usage.touch('b');
        throw new Error('locked');
      }),
    ).rejects.toThrow('locked');
    await usage.flush(save);
    await usage.flush(save);
    expect(saved).toEqual([['a', 'b']]);
  });

  test('records of deleted keys are removed, those of tokens stay', async () => {
    await configuration.apply({ name: 'Shop', apiKeys: [{ kind: 'public', name: 'web' }] });
    const [key] = await keyRows.list(database(), 'shop');
    await saveLastUsed(database(), [key!.id, 'key_deleted', 'tok_1'], 100);
    await deleteUsageOfDeletedKeys(database());
    const left = await lastUsedOf(database(), [key!.id, 'key_deleted', 'tok_1']);
    expect([...left.keys()].sort()).toEqual([key!.id, 'tok_1'].sort());
  });

  test('the command line lists when a key was last used', async () => {
    const shop = await openShop();
    try {
      const startedAt = Date.now();
      await shop.get('/v1/split-testing/config', {}, PUBLIC_KEY);
      await shop.server.stop();
      const { stdout } = await switchyard(shop.server, 'keys', 'list', '--property', 'shop', '--json');
      const keys: { kind: string; lastUsedAt: number | null }[] = JSON.parse(stdout).keys;
      const usedAt = Object.fromEntries(keys.map(({ kind, lastUsedAt }) => [kind, lastUsedAt]));
      expect(usedAt.secret).toBeNull();
      expect(usedAt.public).toBeGreaterThanOrEqual(startedAt);
      const text = (await switchyard(shop.server, 'keys', 'list', '--property', 'shop')).stdout;
      expect(text).toMatch(/LAST USED/);
      expect(text).toMatch(/secret .*\bnever\b/);
    } finally {
      await closeShop(shop);
    }
  });
});
