import type { ServerResponse } from 'node:http';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { applyProvision } from '@switchyard/testing/server/command-line';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, it, vi } from 'vitest';
import { FaultyProxy } from '../../testing/faulty-proxy.ts';
import { createSwitchyard, type Switchyard, type SwitchyardOptions } from '../node.ts';

const servers: TestServer[] = [];
const clients: Switchyard[] = [];
const proxies: FaultyProxy[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const proxy of proxies.splice(0)) proxy.close();
  for (const server of servers.splice(0)) await discard(server);
});

async function serve(options: { dataDir?: string; env?: Record<string, string> } = {}): Promise<TestServer> {
  const server = await startServer({ provision: SAMPLE, ...options });
  servers.push(server);
  return server;
}

async function connect(apiUrl: string, options: Partial<SwitchyardOptions> = {}): Promise<Switchyard> {
  const client = createSwitchyard({
    apiUrl,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    timeoutMs: 60_000,
    pollIntervalMs: 1_000_000,
    ...options,
  });
  clients.push(client);
  expect(await client.ready()).toEqual({ success: true });
  return client;
}

const shop = (fields: object) => ({ properties: [{ id: 'shop', ...fields }] });
const banner = (value: string) =>
  shop({ flags: [{ key: 'banner', environments: { production: { value } } }] });

it('receives changes of flags and segments through the stream', async () => {
  const server = await serve();
  const { flags } = await connect(server.url);
  const changes: string[][] = [];
  const unsubscribe = flags.onChange((keys) => changes.push(keys));
  flags.onChange(() => {
    throw new Error('thrown by a listener');
  });
  const errorSpy = vi.spyOn(console, 'error').mockReturnValue(undefined);
  await applyProvision(server, banner('summer'));
  await waitFor('the new value', () => flags.string('banner', '') === 'summer');
  expect(changes).toEqual([['banner']]);

  expect(flags.boolean('new-checkout', false, { plan: 'gold' })).toBe(false);
  const conditions = [{ attribute: 'plan', operator: 'equals', values: ['gold'] }];
  await applyProvision(server, shop({ segments: [{ id: 'beta', match: 'any', conditions }] }));
  await waitFor('the new segment', () => flags.boolean('new-checkout', false, { plan: 'gold' }));
  expect(changes).toEqual([['banner'], ['new-checkout']]);

  unsubscribe();
  await applyProvision(server, banner('autumn'));
  await waitFor('the next value', () => flags.string('banner', '') === 'autumn');
  expect(changes.length).toBe(2);
  expect(errorSpy).toHaveBeenCalled();
  errorSpy.mockRestore();
});

it('applies small changes of the stream without fetching anything', async () => {
  const server = await serve();
  const fetchSpy = vi.spyOn(globalThis, 'fetch');
  const { flags } = await connect(server.url);
  await applyProvision(server, banner('summer'));
  // Without polling, this comes by the stream.
  await waitFor('the new value', () => flags.string('banner', '') === 'summer');
  const before = fetchSpy.mock.calls.length;
  const changes: string[][] = [];
  flags.onChange((keys) => changes.push(keys));
  const conditions = [{ attribute: 'plan', operator: 'equals', values: ['gold'] }];
  await applyProvision(server, shop({ segments: [{ id: 'beta', match: 'any', conditions }] }));
  await waitFor('the new segment', () => flags.boolean('new-checkout', false, { plan: 'gold' }));
  await applyProvision(server, shop({ flags: [{ key: 'later', type: 'boolean', defaultValue: true }] }));
  await waitFor('the new flag', () => flags.boolean('later', false));
  await applyProvision(server, banner('autumn'));
  await waitFor('the next value', () => flags.string('banner', '') === 'autumn');
  expect(changes).toEqual([['new-checkout'], ['later'], ['banner']]);
  expect(fetchSpy.mock.calls.slice(before).map(([url]) => String(url))).toEqual([]);
  fetchSpy.mockRestore();
});

it('receives changes by polling alone, with conditional requests', async () => {
  const server = await serve();
  const fetchSpy = vi.spyOn(globalThis, 'fetch');
  const { flags } = await connect(server.url, { stream: false, pollIntervalMs: 1000 });
  const statuses = () => Promise.all(fetchSpy.mock.results.map(async ({ value }) => (await value).status));
  await waitFor('a second poll', async () => (await statuses()).includes(304));
  await applyProvision(server, banner('summer'));
  await waitFor('the new value', () => flags.string('banner', '') === 'summer');
  fetchSpy.mockRestore();
});

it('keeps the last known state while the service is down, and updates it afterwards', async () => {
  const dataDir = temporaryDirectory();
  const first = await serve({ dataDir });
  const { port } = new URL(first.url);
  const { flags } = await connect(first.url);
  const seen: string[] = [];
  flags.onStatus((status) => seen.push(status));
  await first.stop('SIGKILL');
  await waitFor('stale', () => flags.status() === 'stale');
  expect(flags.string('banner', '')).toBe('spring');
  expect(flags.boolean('new-checkout', false, { email: 'ada@shop.example' })).toBe(true);
  await applyProvision(first, banner('winter'));
  const changed = structuredClone(SAMPLE);
  changed.properties[0]!.flags![1]!.environments.production.value = 'winter';
  const second = await startServer({ provision: changed, dataDir, env: { PORT: port } });
  servers.push(second);
  await waitFor('the value of the new server', () => flags.string('banner', '') === 'winter');
  await waitFor('ready', () => flags.status() === 'ready');
  expect(seen).toEqual(['stale', 'ready']);
});

it('waits for a service that starts late, and gives the reason in the meantime', async () => {
  const dataDir = temporaryDirectory();
  const first = await serve({ dataDir });
  const { port } = new URL(first.url);
  await first.stop();
  const errors: string[] = [];
  const client = createSwitchyard({
    apiUrl: first.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    timeoutMs: 300,
    onError: ({ message }) => errors.push(message),
  });
  clients.push(client);
  expect(await client.ready()).toMatchObject({ success: false, error: { code: 'network_error' } });
  expect(client.flags.status()).toBe('starting');
  // The stream of changes fails too, which is no second failure.
  expect(new Set(errors)).toEqual(new Set([expect.stringMatching(/^Cannot reach the service: /)]));
  expect(client.flags.details('banner', 'x')).toMatchObject({
    value: 'x',
    errorCode: 'PROVIDER_NOT_READY',
    errorMessage: expect.stringContaining('ECONNREFUSED'),
  });
  servers.push(await startServer({ provision: SAMPLE, dataDir, env: { PORT: port } }));
  await waitFor('the flags', () => client.flags.status() === 'ready');
  expect(client.flags.string('banner', 'x')).toBe('spring');
});

it('waits once for a service that is down at the start, then returns fallbacks until the flags are loaded', async () => {
  const dataDir = temporaryDirectory();
  const first = await serve({ dataDir });
  const { port } = new URL(first.url);
  await first.stop();
  const client = createSwitchyard({
    apiUrl: first.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    timeoutMs: 2000,
  });
  clients.push(client);
  const { flags } = client;
  const missing = { value: 'x', errorCode: 'PROVIDER_NOT_READY' };
  let hasJoined = false;
  const wait = flags.resolve('banner', 'x');
  await new Promise((resolve) => setTimeout(resolve, 500));
  void flags.resolve('banner', 'x').then(() => {
    hasJoined = true;
  });
  expect(await wait).toMatchObject(missing);
  // The second call shares the wait of the first one.
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasJoined).toBe(true);
  const others = async () => {
    for (let i = 0; i < 100; i++) {
      expect(await flags.resolve('banner', 'x')).toMatchObject(missing);
      expect(await flags.evaluate()).toMatchObject({ success: false, error: { code: 'network_error' } });
    }
  };
  // With a wait in each call, they would take 400 seconds.
  await settled('calls that do not wait', others(), 60_000);
  servers.push(await startServer({ provision: SAMPLE, dataDir, env: { PORT: port } }));
  await waitFor('the flags', () => flags.status() === 'ready');
  expect(await flags.resolve('banner', 'x')).toMatchObject({ value: 'spring' });
  expect(await flags.evaluate()).toMatchObject({ success: true });
});

async function proxy(target: string, intercept: FaultyProxy['intercept']): Promise<string> {
  const started = await FaultyProxy.start(target);
  started.intercept = intercept;
  proxies.push(started);
  return started.url;
}

/** A stream that says what a test tells it to, in front of the real service. */
async function fakeStream(server: TestServer) {
  const fake = {
    url: '',
    streams: [] as ServerResponse[],
    lists: 0,
    send: (_event: string, _data: object) => {},
  };
  fake.url = await proxy(server.url, ({ path }, response) => {
    if (path.startsWith('/v1/flags/list')) fake.lists += 1;
    if (!path.startsWith('/v1/flags/stream')) return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': connected\n\n');
    fake.streams.push(response);
    return true;
  });
  fake.send = (event, data) =>
    fake.streams.at(-1)?.write(`id: 9\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  return fake;
}

const NOTHING = { flags: [], configs: [], removedFlags: [], segments: [], removedSegments: [] };

it('fetches what the stream does not say, after a random part of the time that it names', async () => {
  const fake = await fakeStream(await serve());
  const { flags } = await connect(fake.url);
  await waitFor('the stream', () => fake.streams.length === 1);
  const etags = { list: '"other"', segments: '"other"' };
  const change = (spreadMs: number) =>
    fake.send('change', {
      version: 9,
      flags: ['banner'],
      etags,
      spreadMs,
      delta: { ...NOTHING, from: etags },
    });
  const before = fake.lists;
  change(0);
  await waitFor('the list at once', () => fake.lists === before + 1);
  expect(flags.string('banner', '')).toBe('spring');
  const randomSpy = vi.spyOn(Math, 'random').mockReturnValue(0.9);
  await waitFor('a planned request', async () => {
    change(60_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return randomSpy.mock.calls.length > 0;
  });
  expect(fake.lists).toBe(before + 1);
  randomSpy.mockRestore();
});

it('fetches nothing after a reconnect without a change', async () => {
  const server = await serve();
  const tagOf = async (path: string) => {
    const response = await server.send('GET', `${path}?propertyId=shop`, { key: SECRET_KEY });
    return response.headers.get('etag') ?? '';
  };
  const etags = { list: await tagOf('/v1/flags/list'), segments: await tagOf('/v1/flags/segments') };
  const fake = await fakeStream(server);
  const { flags } = await connect(fake.url);
  await waitFor('the stream', () => fake.streams.length === 1);
  // The stream is back before the request that follows if it is not.
  const randomSpy = vi.spyOn(Math, 'random').mockReturnValue(0.9);
  const before = fake.lists;
  fake.streams[0]?.destroy();
  await waitFor('another stream', () => fake.streams.length === 2);
  fake.send('state', { version: 9, etags, spreadMs: 0 });
  const { flags: all, configs } = (
    await server.send('GET', '/v1/flags/list?propertyId=shop', { key: SECRET_KEY })
  ).body;
  const { id } = all.find(({ key }: { key: string }) => key === 'banner');
  const delta = {
    ...NOTHING,
    from: etags,
    flags: all.filter((flag: { id: string }) => flag.id === id),
    configs: configs
      .filter(({ flagId }: { flagId: string }) => flagId === id)
      .map((config: object) => ({ ...config, value: 'winter' })),
  };
  fake.send('change', {
    version: 10,
    flags: ['banner'],
    etags: { ...etags, list: '"next"' },
    spreadMs: 0,
    delta,
  });
  await waitFor('the new value', () => flags.string('banner', '') === 'winter');
  expect(flags.status()).toBe('ready');
  expect(fake.lists).toBe(before);
  randomSpy.mockRestore();
});

it('parses a stream in any chunks, ignores other events, and reconnects', async () => {
  const server = await serve();
  let streams = 0;
  let lists = 0;
  let stream: ServerResponse | undefined;
  const url = await proxy(server.url, ({ path }, response) => {
    if (path.startsWith('/v1/flags/list')) lists += 1;
    if (!path.startsWith('/v1/flags/stream')) return false;
    streams += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('\uFEFF: connected\r\n\r\n');
    stream = response;
    return true;
  });
  const errors: string[] = [];
  const { flags } = await connect(url, { onError: ({ message }) => errors.push(message) });
  await waitFor('the stream', () => stream !== undefined);
  const hasSettled = async () => {
    const before = lists;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return before === lists;
  };
  await waitFor('the end of the first load', hasSettled);
  const before = lists;
  for (const chunk of [': beat\n\n', 'event: other\ndata: {}\n\n', 'event: change\n\n']) stream?.write(chunk);
  expect(await hasSettled()).toBe(true);
  expect(lists).toBe(before);
  for (const character of 'id: 7\r\nevent: change\r\ndata: {}\r\n\r\n') {
    stream?.write(character);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await waitFor('the list again', () => lists === before + 1);
  stream?.destroy();
  await waitFor('a second stream', () => streams === 2);
  await waitFor('the list after it', () => lists > before + 1);
  // The service itself responds, so this failure is reported.
  await waitFor('the report', () => errors.length > 0);
  expect(flags.string('banner', '')).toBe('spring');
});

it('rejects responses that are not lists of flags', async () => {
  const server = await serve();
  let invalidBody = '';
  const errors: string[] = [];
  const url = await proxy(server.url, ({ path }, response) => {
    if (invalidBody === '' || !path.startsWith('/v1/flags/list')) return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end(invalidBody);
    return true;
  });
  const { flags } = await connect(url, {
    stream: false,
    pollIntervalMs: 1000,
    onError: ({ code }) => errors.push(code),
  });
  for (invalidBody of [
    '<html>',
    'null',
    '[]',
    '{"flags":[],"configs":7}',
    '{"flags":[null],"configs":[null]}',
  ]) {
    const before = errors.length;
    await waitFor(`an error for ${invalidBody}`, () => errors.length > before);
    expect(flags.string('banner', '')).toBe('spring');
    expect(flags.status()).toBe('stale');
  }
});
