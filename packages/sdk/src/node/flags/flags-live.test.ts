import type { ServerResponse } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { applyProvision } from '../../../../server/src/testing/command-line.ts';
import { SAMPLE, SECRET_KEY } from '../../../../server/src/testing/sample-property.ts';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '../../../../server/src/testing/test-server.ts';
import { waitFor } from '../../../../server/src/testing/wait.ts';
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

async function proxy(target: string, intercept: FaultyProxy['intercept']): Promise<string> {
  const started = await FaultyProxy.start(target);
  started.intercept = intercept;
  proxies.push(started);
  return started.url;
}

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
    return before === lists && before > 1;
  };
  await waitFor('the load after the stream opened', hasSettled);
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
