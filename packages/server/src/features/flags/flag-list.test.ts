import { OTHER_SECRET_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PREREQUISITES = [{ flag: 'banner', value: 'spring' }];

let shop: Shop;
const startedAt = Date.now();
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const list = async (): Promise<TestResponse['body']> => (await shop.get('/v1/flags/list')).body;

describe('GET /v1/flags/list', () => {
  it('lists definitions and configurations exactly as documented', async () => {
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
      {
        id,
        flagId: flags[0].id,
        environmentId: 'staging',
        enabled: false,
        value: true,
        rules: [{ id: 'half', rollout: { percentage: 50 }, value: false, measure: { goals: ['signup'] } }],
      },
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
      ({ flagId, environmentId }: TestResponse['body']) => `${flagId}/${environmentId}`,
    );
    expect(new Set(pairs).size).toBe(pairs.length);
  });

  it('property without flags: empty lists', async () => {
    const response = await shop.server.call('GET', '/v1/flags/list?propertyId=other', {
      key: OTHER_SECRET_KEY,
    });
    expect(response.body).toEqual({ flags: [], configs: [] });
  });

  it('shows a saved change at once; ids and creation times are unchanged', async () => {
    const before = await list();
    const change = {
      key: 'new-checkout',
      description: 'Changed',
      environments: { staging: { enabled: true, prerequisites: PREREQUISITES } },
    };
    await applyProvision(shop.server, { properties: [{ id: 'shop', flags: [change] }] });
    await waitFor('the change', async () => (await list()).flags[0].description === 'Changed');
    const after = await list();
    expect(after.flags).toEqual([{ ...before.flags[0], description: 'Changed' }, before.flags[1]]);
    expect(after.configs).toEqual([
      before.configs[0],
      { ...before.configs[1], enabled: true, prerequisites: PREREQUISITES },
      before.configs[2],
    ]);
  });
});

describe.each(['/v1/flags/list', '/v1/flags/segments'])('the ETag of %s', (path) => {
  it('leads to 304 until something is saved', async () => {
    const first = await shop.get(path);
    const etag = first.headers.get('etag')!;
    const request = () =>
      shop.server.call('GET', `${path}?propertyId=shop`, {
        key: SECRET_KEY,
        headers: { 'if-none-match': etag },
      });
    expect(await request()).toMatchObject({ status: 304, text: '' });
    await applyProvision(shop.server, changed(path));
    await waitFor('the change', async () => (await request()).status === 200);
  });
});

const changed = (path: string) => ({
  properties: [
    {
      id: 'shop',
      ...(path.endsWith('list')
        ? { flags: [{ key: 'tagged', name: 'Tagged', type: 'boolean', defaultValue: true }] }
        : { segments: [{ id: 'tagged', conditions: [] }] }),
    },
  ],
});

describe('GET /v1/flags/segments', () => {
  it('lists the segments', async () => {
    const { status, body } = await shop.get('/v1/flags/segments');
    expect(status).toBe(200);
    expect(body.segments.slice(0, 1)).toEqual(SAMPLE.properties[0]!.segments!.slice(0, 1));
  });
});
