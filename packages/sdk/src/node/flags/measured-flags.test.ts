import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSwitchyard, type SwitchyardOptions } from '../node.ts';

const KEYS = ['local', 'refused', 'off', 'relayed', 'remote', 'changed', 'many'];
const split = [
  { key: 'a', value: 'A', weight: 1 },
  { key: 'b', value: 'B', weight: 1 },
];
const flag = (key: string) => ({
  key,
  type: 'string',
  defaultValue: 'none',
  environments: {
    production: { enabled: true, rules: [{ id: 'parts', split, measure: { goals: ['signup'] } }] },
  },
});

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: KEYS.map(flag) }), env: WITH_OWNER });
});
afterAll(() => closeShop(shop));

/** Changes a flag. */
async function changeFlag(target: Shop, { key, ...fields }: { key: string; environments: object }) {
  const owner = new PropertyManager(await ownerBrowser(target.server));
  bodyOf(await owner.patch(`/flags/${key}`, fields, '*'));
}

const connect = async (options: Partial<SwitchyardOptions> = {}) => {
  const client = createSwitchyard({
    apiUrl: shop.server.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    stream: false,
    ...options,
  });
  expect(await client.ready()).toEqual({ success: true });
  return client;
};
const countsOf = async (flagKey: string) => {
  const { body } = await shop.get('/v1/flags/results', { flagKey, ruleId: 'parts', fresh: 'true' });
  const sum = (name: string) =>
    body.variations.reduce((total: number, each: Record<string, number>) => total + each[name]!, 0);
  return { exposures: sum('exposures'), visitors: sum('visitors'), bots: sum('bots') };
};
const requestOf = (visitorId: string, headers: Record<string, string> = {}) => ({
  headers: { cookie: `sy_visitor=${visitorId}; sy_session=session-${visitorId}`, ...headers },
});

it('reports each visitor once a day, with what it evaluates', async () => {
  const { flags, close } = await connect();
  for (let i = 0; i < 3; i++) {
    for (const userId of ['u1', 'u2', 'u3']) flags.string('local', '', { userId });
  }
  flags.string('local', '', { plan: 'without an id' });
  await flags.resolve('local', '', { visitorId: 'v1' });
  await flags.evaluate({ visitorId: 'v2' }, ['local']);
  await close();
  expect(await countsOf('local')).toEqual({ exposures: 5, visitors: 5, bots: 0 });
});

it('reports all that wait, in several reports', async () => {
  const { flags, close } = await connect();
  for (let i = 0; i < 1200; i++) flags.string('many', '', { visitorId: `m${i}` });
  await close();
  expect((await countsOf('many')).visitors).toBe(1200);
});

it('records nothing without consent, and crawlers as such', async () => {
  const client = await connect();
  const read = (request: object, options?: { consent: boolean }) =>
    client.forRequest(request, options).flags.string('refused', '');
  read(requestOf('gpc', { 'sec-gpc': '1' }));
  read(requestOf('refuses'), { consent: false });
  read(requestOf('agrees', { dnt: '1' }), { consent: true });
  read(requestOf('crawler', { 'user-agent': 'Googlebot/2.1' }));
  read(requestOf('person', { 'user-agent': 'Mozilla/5.0 Firefox/140.0' }));
  await client.close();
  expect(await countsOf('refused')).toEqual({ exposures: 1, visitors: 1, bots: 1 });
});

it('records nothing with `usage: false`', async () => {
  const { flags, close } = await connect({ usage: false });
  flags.string('off', '', { userId: 'u1' });
  await close();
  expect((await countsOf('off')).exposures).toBe(0);
});

it('records pages that get their flags from the relay', async () => {
  const client = await connect();
  const relay = client.relay({ flags: ['relayed'] });
  const call = (visitorId: string, headers: Record<string, string> = {}) =>
    relay.fetch(
      new Request('http://shop.example/sy/v1/flags/evaluate', {
        method: 'POST',
        headers: {
          cookie: `sy_visitor=${visitorId}; sy_session=session-${visitorId}`,
          'content-type': 'application/json',
          host: 'shop.example',
          origin: 'http://shop.example',
          ...headers,
        },
        body: JSON.stringify({ propertyId: 'shop' }),
      }),
    );
  expect((await call('p1')).status).toBe(200);
  expect((await call('p2', { 'sec-gpc': '1' })).status).toBe(200);
  await client.close();
  expect((await countsOf('relayed')).visitors).toBe(1);
});

it('reports somebody again after a change, which may have started a phase', async () => {
  const { flags, close } = await connect({ pollIntervalMs: 1000 });
  const read = () => flags.string('changed', '', { userId: 'u1' });
  read();
  const changed = new Promise<string[]>((resolve) => flags.onChange(resolve));
  const weights = [{ ...split[0], weight: 9 }, split[1]];
  const rules = [{ id: 'parts', split: weights, measure: { goals: ['signup'] } }];
  await changeFlag(shop, { key: 'changed', environments: { production: { rules } } });
  expect(await changed).toContain('changed');
  read();
  read();
  await close();
  const phases = await Promise.all(
    ['1', '2'].map((phase) => shop.get('/v1/flags/results', { flagKey: 'changed', ruleId: 'parts', phase })),
  );
  const exposures = phases.map(({ body }) =>
    body.variations.reduce((sum: number, each: { exposures: number }) => sum + each.exposures, 0),
  );
  expect(exposures[0] + exposures[1]).toBe(2);
  expect(exposures[1]).toBeGreaterThan(0);
});

it('lets the service record what it evaluates', async () => {
  const client = await connect({ evaluation: 'remote' });
  await client.flags.resolve('remote', '', { userId: 'u1' });
  await client.forRequest(requestOf('gpc', { dnt: '1' })).flags.resolve('remote', '');
  const silent = await connect({ evaluation: 'remote', usage: false });
  await silent.flags.resolve('remote', '', { userId: 'u2' });
  await Promise.all([client.close(), silent.close()]);
  expect((await countsOf('remote')).visitors).toBe(1);
});
