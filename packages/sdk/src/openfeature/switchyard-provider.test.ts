import { type EventDetails, OpenFeature, ProviderEvents, ProviderStatus } from '@openfeature/server-sdk';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { applyProvision, switchyard } from '@switchyard/testing/server/command-line';
import { discard, startServer, temporaryDirectory } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSwitchyard } from '../node/node.ts';
import { FaultyProxy } from '../testing/faulty-proxy.ts';
import { FLAGS_WITH_FORMATS, PRICING } from '../testing/flags-with-formats.ts';
import { SwitchyardProvider } from './openfeature.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: FLAGS_WITH_FORMATS }) });
});
afterAll(() => closeShop(shop));
afterEach(() => OpenFeature.close());

const options = () => ({
  apiUrl: shop.server.url,
  secretApiKey: SECRET_KEY,
  propertyId: 'shop',
  timeoutMs: 60_000,
});
const staff = { targetingKey: 'u1', email: 'ada@shop.example' };

describe.each(['local', 'remote'] as const)('%s evaluation through OpenFeature', (evaluation) => {
  it('resolves values, reasons, variants and errors', async () => {
    await OpenFeature.setProviderAndWait(new SwitchyardProvider({ ...options(), evaluation }));
    const client = OpenFeature.getClient();
    expect(client.providerStatus).toBe(ProviderStatus.READY);
    expect(await client.getBooleanValue('new-checkout', false, staff)).toBe(true);
    expect(await client.getBooleanDetails('new-checkout', false, staff)).toMatchObject({
      value: true,
      reason: 'TARGETING_MATCH',
      variant: 'staff',
      flagMetadata: { ruleId: 'staff' },
    });
    expect(await client.getBooleanDetails('new-checkout', true, { plan: 'beta' })).toMatchObject({
      value: true,
      reason: 'SPLIT',
      variant: 'beta',
    });
    expect(await client.getStringDetails('banner', 'x')).toMatchObject({
      value: 'spring',
      reason: 'STATIC',
      variant: 'default',
    });
    for (const [details, code] of [
      [client.getBooleanDetails('banner', true), 'TYPE_MISMATCH'],
      [client.getStringDetails('new-checkout', 'x'), 'TYPE_MISMATCH'],
      [client.getNumberDetails('banner', 3), 'TYPE_MISMATCH'],
      [client.getNumberDetails('new-checkout', 3), 'TYPE_MISMATCH'],
      [client.getObjectDetails('banner', { a: 1 }), 'TYPE_MISMATCH'],
      [client.getBooleanDetails('unknown', true), 'FLAG_NOT_FOUND'],
      [client.getNumberDetails('unknown', 3), 'FLAG_NOT_FOUND'],
    ] as const) {
      expect(await details).toMatchObject({ reason: 'ERROR', errorCode: code });
    }
    expect(await client.getObjectValue('banner', { a: 1 })).toEqual({ a: 1 });
    expect(await client.getNumberValue('banner', 3)).toBe(3);
  });

  it('resolves numbers, objects and the variants of splits', async () => {
    const provider = new SwitchyardProvider({ ...options(), evaluation });
    await OpenFeature.setProviderAndWait(provider);
    const client = OpenFeature.getClient();
    expect(await client.getNumberDetails('price', 1)).toMatchObject({
      value: 12.5,
      reason: 'DEFAULT',
      variant: 'default',
    });
    expect(await client.getNumberDetails('price', 1, staff)).toMatchObject({ value: 0, variant: 'staff' });
    expect(await client.getNumberDetails('size', 1)).toMatchObject({
      value: 4,
      reason: 'SPLIT',
      variant: 'large',
      flagMetadata: { ruleId: 'sizes' },
    });
    expect(await client.getObjectDetails('pricing', {})).toMatchObject({
      value: PRICING,
      variant: 'default',
    });
    expect(await client.getObjectDetails('theme', {})).toMatchObject({ value: { dark: true }, variant: '0' });
    // Whatever the default is: it can be any JSON.
    expect(await client.getObjectValue('pricing', 'none')).toEqual(PRICING);
    expect(await client.getObjectValue('pricing', 7)).toEqual(PRICING);
    expect(await client.getStringValue('price', 'x')).toBe('12.50');
    for (const details of [
      client.getNumberDetails('pricing', 3),
      client.getObjectDetails('price', { a: 1 }),
      client.getObjectDetails('plain', 'none'),
    ]) {
      expect(await details).toMatchObject({ reason: 'ERROR', errorCode: 'TYPE_MISMATCH' });
    }
    expect(await client.getObjectDetails('plain', 'none')).toMatchObject({
      value: 'none',
      errorMessage: expect.stringContaining('Give it the format json'),
    });
    expect(await provider.resolveObjectEvaluation('unknown', [1], {})).toMatchObject({
      value: [1],
      errorCode: 'FLAG_NOT_FOUND',
    });
  });
});

it('compares dates in the context like the service', async () => {
  const rules = [
    {
      id: 'old',
      conditions: [{ attribute: 'since', operator: 'before', values: ['2025-01-01'] }],
      value: true,
    },
  ];
  const environments = { production: { enabled: true, value: false, rules } };
  const flag = { key: 'veteran', name: 'Veteran', type: 'boolean', defaultValue: false, environments };
  await applyProvision(shop.server, { properties: [{ id: 'shop', flags: [flag] }] });
  const client = OpenFeature.getClient();
  for (const evaluation of ['local', 'remote'] as const) {
    await OpenFeature.setProviderAndWait(new SwitchyardProvider({ ...options(), evaluation }));
    await waitFor('the flag', async () => !(await client.getBooleanDetails('veteran', false)).errorCode);
    expect(await client.getBooleanValue('veteran', false, { since: new Date('2024-06-01') })).toBe(true);
    expect(await client.getBooleanValue('veteran', true, { since: new Date('2025-06-01') })).toBe(false);
    expect(await client.getBooleanValue('veteran', true, { since: new Date(Number.NaN) })).toBe(false);
  }
});

it('emits events for changes, an outage and the recovery', async () => {
  const dataDir = temporaryDirectory();
  const first = await startServer({ provision: SAMPLE, dataDir });
  const { port } = new URL(first.url);
  await OpenFeature.setProviderAndWait(new SwitchyardProvider({ ...options(), apiUrl: first.url }));
  const events: [string, EventDetails | undefined][] = [];
  for (const event of [ProviderEvents.Ready, ProviderEvents.ConfigurationChanged, ProviderEvents.Stale]) {
    OpenFeature.addHandler(event, (details) => void events.push([event, details]));
  }
  const client = OpenFeature.getClient();
  await applyProvision(first, {
    properties: [
      { id: 'shop', flags: [{ key: 'banner', environments: { production: { value: 'summer' } } }] },
    ],
  });
  await waitFor('the change', () => events.some(([, details]) => details?.flagsChanged !== undefined));
  const changed = events.find(([event]) => event === ProviderEvents.ConfigurationChanged);
  expect(changed?.[1]?.flagsChanged).toEqual(['banner']);
  expect(await client.getStringValue('banner', 'x')).toBe('summer');

  await first.stop('SIGKILL');
  await waitFor('stale', () => client.providerStatus === ProviderStatus.STALE);
  expect(await client.getStringValue('banner', 'x')).toBe('summer');

  const second = await startServer({ provision: SAMPLE, dataDir, env: { PORT: port } });
  await waitFor('ready', () => client.providerStatus === ProviderStatus.READY);
  expect(await client.getStringValue('banner', 'x')).toBe('spring');
  expect(events.map(([event]) => event)).toEqual([
    ProviderEvents.Ready,
    ProviderEvents.ConfigurationChanged,
    ProviderEvents.Stale,
    ProviderEvents.ConfigurationChanged,
    ProviderEvents.Ready,
  ]);
  OpenFeature.clearHandlers();
  await OpenFeature.close();
  await discard(second);
});

it('is fatal with an invalid key, and only an error while the service is down', async () => {
  const client = OpenFeature.getClient();
  const invalidKey = { ...options(), secretApiKey: 'service_sec_0123456789abcdefUnknown' };
  await expect(OpenFeature.setProviderAndWait(new SwitchyardProvider(invalidKey))).rejects.toThrow(
    'api_key_invalid',
  );
  expect(client.providerStatus).toBe(ProviderStatus.FATAL);
  expect(await client.getStringValue('banner', 'x')).toBe('x');
  const unreachable = { ...options(), apiUrl: 'http://127.0.0.1:9', timeoutMs: 200 };
  await expect(OpenFeature.setProviderAndWait(new SwitchyardProvider(unreachable))).rejects.toThrow(
    'network_error',
  );
  expect(client.providerStatus).toBe(ProviderStatus.ERROR);
  expect(await client.getStringDetails('banner', 'x')).toMatchObject({
    value: 'x',
    errorCode: 'PROVIDER_NOT_READY',
  });
});

it('says that its key was deleted, and goes on with the last known flags', async () => {
  const server = await startServer({ provision: SAMPLE });
  await OpenFeature.setProviderAndWait(
    new SwitchyardProvider({ ...options(), apiUrl: server.url, pollIntervalMs: 1000 }),
  );
  const errors: (EventDetails | undefined)[] = [];
  OpenFeature.addHandler(ProviderEvents.Error, (details) => void errors.push(details));
  const listed = await switchyard(server, 'keys', 'list', '--json');
  const secret = JSON.parse(listed.stdout).keys.find(({ kind }: { kind: string }) => kind === 'secret');
  expect((await switchyard(server, 'keys', 'delete', secret.id)).code).toBe(0);
  const client = OpenFeature.getClient();
  await waitFor('the error', () => client.providerStatus === ProviderStatus.ERROR);
  expect(errors.at(-1)?.message).toMatch(/^The last known flags are used: .*deleted.* \(api_key_invalid\)$/);
  expect(await client.getStringValue('banner', 'x')).toBe('spring');
  OpenFeature.clearHandlers();
  await OpenFeature.close();
  await discard(server);
});

it('says that its key is wrong when the service is back', async () => {
  const proxy = await FaultyProxy.start(shop.server.url);
  proxy.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  const secretApiKey = 'service_sec_0123456789abcdefUnknown';
  const provider = new SwitchyardProvider({ ...options(), apiUrl: proxy.url, secretApiKey, timeoutMs: 200 });
  await expect(OpenFeature.setProviderAndWait(provider)).rejects.toThrow('network_error');
  const errors: (EventDetails | undefined)[] = [];
  OpenFeature.addHandler(ProviderEvents.Error, (details) => void errors.push(details));
  proxy.intercept = () => false;
  const client = OpenFeature.getClient();
  await waitFor('the error', () => client.providerStatus === ProviderStatus.FATAL);
  expect(errors.at(-1)?.message).toContain('(api_key_invalid)');
  OpenFeature.clearHandlers();
  await OpenFeature.close();
  proxy.close();
});

it('tracks goals', async () => {
  const errors: string[] = [];
  const node = createSwitchyard(options());
  const provider = new SwitchyardProvider(node, { onError: ({ code }) => errors.push(code) });
  await OpenFeature.setProviderAndWait(provider);
  const client = OpenFeature.getClient();
  const context = { targetingKey: 'u1', sessionId: 'session-tracked' };
  client.track('signup', context);
  await node.flush();
  client.track('revenue', context, {
    value: 49.9,
    plan: 'pro',
    seats: 3,
    nested: { a: 1 },
    long: 'x'.repeat(300),
  });
  await node.flush();
  client.track('revenue', context, { value: -9.9 });
  client.track('no-such-goal', context);
  client.track('signup');
  // An existing client is flushed, but not closed, with the provider.
  await OpenFeature.close();
  expect(await shop.timeline('session-tracked', 'goal')).toMatchObject([
    { goalId: 'signup', count: 1 },
    { goalId: 'revenue', amount: 49.9, metadata: { plan: 'pro', seats: '3' } },
    { goalId: 'revenue', amount: -9.9 },
  ]);
  expect(errors).toEqual(['goal_not_found']);
  expect(node.flags.string('banner', 'x')).toBe('spring');
  await node.close();
});
