import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { FaultyProxy } from '../../testing/faulty-proxy.ts';
import { connectThrough } from '../../testing/proxied-client.ts';
import type { Switchyard, SwitchyardOptions } from '../node.ts';

const KEYS = ['all-calls', 'interval', 'lost', 'outage', 'off', 'many'];
const flag = (key: string) => ({
  key,
  name: key,
  type: 'boolean',
  defaultValue: false,
  environments: {
    production: {
      enabled: true,
      value: false,
      rules: [
        { id: 'one', conditions: [{ attribute: 'a', operator: 'isSet' }], value: true },
        { id: 'two', conditions: [{ attribute: 'b', operator: 'isSet' }], value: true },
      ],
    },
  },
});

let shop: Shop;
let proxy: FaultyProxy;
const clients: Switchyard[] = [];
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: KEYS.map(flag) }) });
});
afterAll(() => closeShop(shop));
beforeEach(async () => {
  proxy = await FaultyProxy.start(shop.server.url);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) await client.close();
  proxy.close();
});

async function connect(options: Partial<SwitchyardOptions> = {}): Promise<Switchyard> {
  const client = connectThrough(proxy, { evaluation: 'local', stream: false, ...options });
  clients.push(client);
  expect(await client.ready()).toEqual({ success: true });
  return client;
}

const reports = () => proxy.requests.filter(({ path }) => path.startsWith('/v1/flags/usage'));
const bodies = () => reports().map(({ body }) => JSON.parse(body));
const valuesOf = async (key: string, environment = 'production') =>
  (await shop.flagUsage(key))[environment].values.map((it: { value: unknown; count: number }) => [
    it.value,
    it.count,
  ]);

it('counts calls of every kind by value, and reports on close', async () => {
  const { flags, close } = await connect();
  flags.boolean('all-calls', false);
  flags.boolean('all-calls', false, { a: 1 });
  flags.details('all-calls', false, { b: 1 });
  flags.string('all-calls', 'wrong type', { a: 1, b: 1 });
  await flags.resolve('all-calls', false);
  await flags.evaluate({}, ['all-calls']);
  flags.boolean('unknown', false);
  await close();
  expect(await valuesOf('all-calls')).toEqual([
    [false, 3],
    [true, 3],
  ]);
  expect(reports()).toHaveLength(1);
});

it('reports every minute, in the environment of the client', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { flags } = await connect({ environment: 'staging' });
  flags.boolean('interval', false);
  expect(reports()).toEqual([]);
  vi.advanceTimersByTime(60_000);
  await waitFor('the report', async () => (await valuesOf('interval', 'staging')).length > 0);
  flags.boolean('interval', false);
  flags.boolean('interval', false);
  vi.advanceTimersByTime(60_000);
  await waitFor('the second report', async () => (await valuesOf('interval', 'staging'))[0][1] === 3);
  // Nothing to report.
  vi.advanceTimersByTime(60_000);
  expect(reports()).toHaveLength(2);
});

it('counts a report once if its response is lost', async () => {
  const { flags, close } = await connect();
  let losses = 2;
  proxy.intercept = ({ path }) => path === '/v1/flags/usage' && losses-- > 0 && 'lose';
  flags.boolean('lost', false);
  await close();
  expect(reports().length).toBeGreaterThan(1);
  expect(new Set(bodies().map(({ reportId }) => reportId)).size).toBe(1);
  expect(await valuesOf('lost')).toEqual([[false, 1]]);
});

it('keeps counting while the service is down, and reports everything later', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const errors: string[] = [];
  const { flags, close } = await connect({ onError: ({ code }) => errors.push(code) });
  let down = true;
  proxy.intercept = ({ path }, response) => {
    if (path !== '/v1/flags/usage' || !down) return false;
    response.writeHead(503).end('{}');
    return true;
  };
  flags.boolean('outage', false);
  vi.advanceTimersByTime(60_000);
  await waitFor('the failure', () => errors.length === 1);
  flags.boolean('outage', false, { a: 1 });
  down = false;
  await close();
  expect((await valuesOf('outage')).sort()).toEqual([
    [false, 1],
    [true, 1],
  ]);
  // The failed one again, then the rest.
  expect(bodies().map(({ reportId }) => reportId === bodies()[0].reportId)).toEqual([true, true, false]);
});

it('sends nothing with `usage: false`', async () => {
  const silent = await connect({ usage: false });
  silent.flags.boolean('off', false);
  await silent.close();
  expect(reports()).toEqual([]);
});

it('closes soon while the service does not respond, without throwing', async () => {
  const client = await connect();
  proxy.intercept = ({ path }) => path === '/v1/flags/usage';
  client.flags.boolean('many', false);
  expect(await client.close()).toEqual({ success: true });
  expect(await valuesOf('many')).toEqual([]);
});

it('sends no report without time for it when it is closed during a report', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const errors: string[] = [];
  const options = { timeoutMs: 500, onError: ({ message }: { message: string }) => errors.push(message) };
  const client = await connect(options);
  proxy.intercept = ({ path }) => path === '/v1/flags/usage';
  client.flags.boolean('many', false);
  vi.advanceTimersByTime(60_000);
  await waitFor('the report', () => reports().length === 1);
  await client.close();
  for (const message of errors) expect(message).toMatch(/ within [1-9]\d* ms/);
});

it('counts every flag that `all` evaluates', async () => {
  const { flags, close } = await connect({ environment: 'staging' });
  flags.all();
  await close();
  expect(await valuesOf('many', 'staging')).toEqual([[false, 1]]);
  expect(await valuesOf('new-checkout', 'staging')).toEqual([[false, 1]]);
});
