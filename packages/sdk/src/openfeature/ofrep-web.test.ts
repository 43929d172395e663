import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { type EventDetails, OpenFeature, ProviderEvents, ProviderStatus } from '@openfeature/web-sdk';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { discard, startServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FLAGS_WITH_FORMATS, PRICING } from '../testing/flags-with-formats.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: FLAGS_WITH_FORMATS }) });
});
afterAll(() => closeShop(shop));
afterEach(async () => {
  await OpenFeature.close();
  OpenFeature.clearHandlers();
  vi.restoreAllMocks();
});

interface Connection {
  key?: string;
  baseUrl?: string;
  pollInterval?: number;
  context?: Record<string, string>;
}

async function connect({ key = SECRET_KEY, baseUrl, pollInterval = 0, context = {} }: Connection = {}) {
  const provider = new OFREPWebProvider({
    baseUrl: baseUrl ?? shop.server.url,
    headers: [['X-API-Key', key]],
    changeDetection: 'polling',
    pollInterval,
    cacheMode: 'disabled',
  });
  await OpenFeature.setContext(context);
  await OpenFeature.setProviderAndWait(provider);
  return OpenFeature.getClient();
}

const statuses = (spy: { mock: { results: { value: unknown }[] } }) =>
  Promise.all(spy.mock.results.map(async ({ value }) => ((await value) as Response).status));

describe('the OFREP provider for the web', () => {
  it('fetches all flags at once, and again for another context', async () => {
    const client = await connect({ context: { targetingKey: 'u1', email: 'ada@shop.example' } });
    expect(client.providerStatus).toBe(ProviderStatus.READY);
    expect(client.getBooleanDetails('new-checkout', false)).toMatchObject({
      value: true,
      reason: 'TARGETING_MATCH',
      variant: 'staff',
    });
    expect(client.getStringDetails('banner', 'x')).toMatchObject({
      value: 'spring',
      reason: 'STATIC',
      flagMetadata: { version: expect.any(Number) },
    });
    await OpenFeature.setContext({ targetingKey: 'u2' });
    expect(client.getBooleanValue('new-checkout', true)).toBe(false);
  });

  it('resolves numbers, objects and the variants of splits', async () => {
    const client = await connect();
    expect(client.getNumberDetails('price', 1)).toMatchObject({ value: 12.5, variant: 'default' });
    expect(client.getNumberDetails('size', 1)).toMatchObject({ value: 4, reason: 'SPLIT', variant: 'large' });
    expect(client.getObjectDetails('pricing', {})).toMatchObject({ value: PRICING, reason: 'STATIC' });
    expect(client.getObjectDetails('theme', {})).toMatchObject({ value: { dark: true }, variant: '0' });
    expect(client.getNumberDetails('pricing', 3)).toMatchObject({ errorCode: 'TYPE_MISMATCH' });
  });

  it('returns the default and an error code for unknown flags and wrong types', async () => {
    const client = await connect();
    expect(client.getBooleanDetails('unknown', true)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    expect(client.getBooleanDetails('banner', true)).toMatchObject({ errorCode: 'TYPE_MISMATCH' });
    expect(client.getNumberDetails('banner', 7)).toMatchObject({ value: 7, errorCode: 'TYPE_MISMATCH' });
  });

  it('polls with the last ETag, gets 304 until something changes, and then an event', async () => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    const client = await connect({ pollInterval: 200 });
    const changes: (EventDetails | undefined)[] = [];
    client.addHandler(ProviderEvents.ConfigurationChanged, (details) => void changes.push(details));
    await waitFor('304', async () => (await statuses(fetchSpy)).includes(304));
    expect(changes).toEqual([]);
    const flags = [{ key: 'banner', environments: { production: { value: 'summer' } } }];
    await applyProvision(shop.server, { properties: [{ id: 'shop', flags }] });
    await waitFor('the change', () => client.getStringValue('banner', 'x') === 'summer');
    expect(changes[0]?.flagsChanged).toEqual(['banner']);
  });

  it('does not start with an invalid key', async () => {
    await expect(connect({ key: 'service_sec_0123456789abcdefUnknown' })).rejects.toThrow();
    expect([ProviderStatus.ERROR, ProviderStatus.FATAL]).toContain(OpenFeature.getClient().providerStatus);
    expect(OpenFeature.getClient().getStringValue('banner', 'x')).toBe('x');
  });

  it('keeps its values and pauses for Retry-After when rate limited', async () => {
    const server = await startServer({ provision: SAMPLE, env: { RATE_LIMIT_PER_SECOND: '1' } });
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    const client = await connect({ baseUrl: server.url, pollInterval: 50 });
    await waitFor('429', async () => (await statuses(fetchSpy)).includes(429));
    expect(client.getStringValue('banner', 'x')).toBe('spring');
    await waitFor('a response again', async () => {
      const seen = await statuses(fetchSpy);
      return seen.lastIndexOf(304) > seen.indexOf(429);
    });
    expect(client.getStringValue('banner', 'x')).toBe('spring');
    await OpenFeature.close();
    await discard(server);
  });
});
