import { OTHER_PUBLIC_KEY, PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const variations = [
  { key: 'control', weight: 1, value: 'a' },
  { key: 'b', weight: 3, value: 'b' },
];
const json = JSON.stringify({ color: 'red', "it's": ['ünïcödé', '💡', '</script>'] });

const TESTS = [
  {
    key: 'layout',
    type: 'json',
    status: 'running',
    hashSeed: 's3',
    trafficAllocation: 0,
    variations: [{ key: 'only', weight: 0.5, value: json }],
  },
  { key: 'ids', type: 'id', status: 'running', hashSeed: 's4', trafficAllocation: 12.5, variations },
  {
    key: 'users',
    type: 'text',
    status: 'running',
    hashSeed: 's5',
    trafficAllocation: 100,
    variations,
    unit: 'user',
  },
  { key: 'unseeded', type: 'text', status: 'running', trafficAllocation: 100, variations },
  { key: 'in-draft', type: 'text', status: 'draft', variations },
  { key: 'on-hold', type: 'text', status: 'paused', variations },
  { key: 'put-away', type: 'text', status: 'archived', variations },
];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ splitTests: TESTS }) });
});
afterAll(() => closeShop(shop));

const config = (headers: Record<string, string> = {}, propertyId = 'shop', key = PUBLIC_KEY) =>
  shop.server.call('GET', `/v1/split-testing/config?propertyId=${propertyId}`, { key, headers });

describe('the active split tests', () => {
  it('are returned exactly like this', async () => {
    const response = await config();
    expect(response.status).toBe(200);
    const id = expect.stringMatching(/^\S+$/);
    expect(response.body).toEqual({
      tests: [
        {
          key: 'hero',
          id,
          type: 'text',
          status: 'running',
          hashSeed: 's1',
          trafficAllocation: 100,
          variations: [
            { key: 'control', weight: 50, value: 'Buy' },
            { key: 'b', weight: 50, value: 'Get it' },
          ],
          phase: 1,
        },
        { ...TESTS[0], id, phase: 1 },
        { ...TESTS[1], id, phase: 1 },
        { ...TESTS[2], id, phase: 1 },
        { ...TESTS[3], id, phase: 1, hashSeed: expect.stringMatching(/^\S+$/) },
      ],
      ttl: 60,
    });
    expect(JSON.parse(response.body.tests[1].variations[0].value)).toEqual(JSON.parse(json));
  });

  it('have unique ids and a stable seed', async () => {
    const [first, second] = [(await config()).body.tests, (await config()).body.tests];
    expect(second).toEqual(first);
    expect(new Set(first.map(({ id }: { id: string }) => id)).size).toBe(first.length);
  });

  it.each(['finished', 'in-draft', 'on-hold', 'put-away'])('%s is not returned', async (key) => {
    expect((await config()).text).not.toContain(key);
  });

  it('property without tests: empty list', async () => {
    const response = await config({}, 'other', OTHER_PUBLIC_KEY);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ tests: [], ttl: 60 });
  });
});

describe('caching', () => {
  it('Cache-Control is as documented, and ttl equals max-age', async () => {
    const response = await config();
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(response.body.ttl).toBe(60);
  });

  it('an error is not cached for a minute', async () => {
    const response = await config({}, 'unknown');
    expect(response.status).toBe(403);
    expect(response.headers.get('cache-control')).not.toBe('public, max-age=60');
  });

  const matching = [
    { name: 'the ETag itself', header: (etag: string) => etag },
    { name: 'the ETag as a weak ETag', header: (etag: string) => `W/${etag.replace(/^W\//, '')}` },
    { name: 'the ETag in a list', header: (etag: string) => `"other", ${etag}, "another"` },
    { name: 'any', header: () => '*' },
  ];
  it.each(matching)('If-None-Match with $name: 304 without a body', async ({ header }) => {
    const etag = (await config()).headers.get('etag') ?? '';
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
    const response = await config({ 'if-none-match': header(etag) });
    expect(response.status).toBe(304);
    expect(response.text).toBe('');
    expect(response.headers.get('etag')).toBe(etag);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each(['"other"', 'W/"other"', 'garbage', ''])('If-None-Match: %s: the full response', async (header) => {
    expect((await config({ 'if-none-match': header })).status).toBe(200);
  });

  it('each property has its own ETag', async () => {
    const ours = (await config()).headers.get('etag');
    expect((await config({}, 'other', OTHER_PUBLIC_KEY)).headers.get('etag')).not.toBe(ours);
  });

  it('HEAD returns the same headers without a body', async () => {
    const response = await shop.server.call('HEAD', '/v1/split-testing/config?propertyId=shop', {
      key: PUBLIC_KEY,
    });
    expect(response.status).toBe(200);
    expect(response.text).toBe('');
    expect(response.headers.get('etag')).toBe((await config()).headers.get('etag'));
  });
});

describe('a saved change', () => {
  it('is visible at once, with a new ETag; other tests keep their id and seed', async () => {
    const before = await config();
    await applyProvision(shop.server, {
      properties: [
        {
          id: 'shop',
          splitTests: [
            { key: 'on-hold', status: 'running' },
            { key: 'ids', status: 'stopped' },
          ],
        },
      ],
    });
    await waitFor('the change', async () => (await config()).text !== before.text);
    const after = await config({ 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    const keys = after.body.tests.map(({ key }: { key: string }) => key);
    expect(keys).toEqual(['hero', 'layout', 'users', 'unseeded', 'on-hold']);
    const isUnchanged = ({ key }: { key: string }) => ['hero', 'layout', 'unseeded'].includes(key);
    expect(after.body.tests.filter(isUnchanged)).toEqual(before.body.tests.filter(isUnchanged));
  });
});
