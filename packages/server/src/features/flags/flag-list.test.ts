import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyProvision } from '../../testing/command-line.ts';
import { within } from '../../testing/event-stream.ts';
import { OTHER_SECRET_KEY, SAMPLE } from '../../testing/sample-property.ts';
import { closeShop, openShop, type Shop } from '../../testing/shop.ts';
import type { Answer } from '../../testing/test-server.ts';

const PREREQUISITES = [{ flag: 'banner', value: 'spring' }];

let shop: Shop;
const startedAt = Date.now();
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const list = async (): Promise<Answer['body']> => (await shop.get('/v1/flags/list')).body;

describe('GET /v1/flags/list', () => {
  it('lists definitions and configurations exactly as the specification says', async () => {
    const { flags, configs, ...rest } = await list();
    expect(rest).toEqual({});
    const id = expect.stringMatching(/^\S+$/);
    const createdAt = expect.any(Number);
    const [checkout, banner] = SAMPLE.properties[0]!.flags!;
    expect(flags).toEqual([
      {
        id,
        key: 'new-checkout',
        name: 'New checkout',
        description: 'The checkout on one page',
        type: 'boolean',
        defaultValue: false,
        createdAt,
      },
      { id, key: 'banner', name: 'Banner', type: 'string', defaultValue: 'none', createdAt },
    ]);
    expect(configs).toEqual([
      {
        id,
        flagId: flags[0].id,
        environmentId: 'production',
        enabled: true,
        value: false,
        rules: checkout!.environments.production.rules,
      },
      { id, flagId: flags[0].id, environmentId: 'staging', enabled: false, value: true, rules: [] },
      {
        id,
        flagId: flags[1].id,
        environmentId: 'production',
        enabled: true,
        value: 'spring',
        rules: banner!.environments.production.rules,
      },
    ]);
    const ids = [...flags, ...configs].map((entry: { id: string }) => entry.id);
    expect(new Set(ids).size).toBe(5);
  });

  it('createdAt is in milliseconds', async () => {
    for (const { createdAt } of (await list()).flags) {
      expect(createdAt).toBeGreaterThanOrEqual(startedAt);
      expect(createdAt).toBeLessThanOrEqual(Date.now());
      expect(Number.isInteger(createdAt)).toBe(true);
    }
  });

  it('has one configuration per flag and environment', async () => {
    const pairs = (await list()).configs.map(
      ({ flagId, environmentId }: Answer['body']) => `${flagId}/${environmentId}`,
    );
    expect(new Set(pairs).size).toBe(pairs.length);
  });

  it('of a property without flags: empty lists', async () => {
    const answer = await shop.server.call('GET', '/v1/flags/list?propertyId=other', {
      key: OTHER_SECRET_KEY,
    });
    expect(answer.body).toEqual({ flags: [], configs: [] });
  });

  it('shows a saved change at once; ids and times of creation stay', async () => {
    const before = await list();
    const change = {
      key: 'new-checkout',
      description: 'Changed',
      environments: { staging: { enabled: true, prerequisites: PREREQUISITES } },
    };
    await applyProvision(shop.server, { properties: [{ id: 'shop', flags: [change] }] });
    await within(1000, 'the change', async () => (await list()).flags[0].description === 'Changed');
    const after = await list();
    expect(after.flags).toEqual([{ ...before.flags[0], description: 'Changed' }, before.flags[1]]);
    expect(after.configs).toEqual([
      before.configs[0],
      { ...before.configs[1], enabled: true, prerequisites: PREREQUISITES },
      before.configs[2],
    ]);
  });
});
