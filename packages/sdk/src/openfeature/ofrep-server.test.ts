import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
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
afterEach(() => OpenFeature.close());

const staff = { targetingKey: 'u1', email: 'ada@shop.example' };

async function connect(headers: Record<string, string>, baseUrl = shop.server.url) {
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl, headers }));
  return OpenFeature.getClient();
}

describe('the OFREP provider for servers', () => {
  it('resolves booleans and strings with reason, variant and metadata', async () => {
    const client = await connect({ 'X-API-Key': SECRET_KEY });
    expect(await client.getBooleanDetails('new-checkout', false, staff)).toMatchObject({
      value: true,
      reason: 'TARGETING_MATCH',
      variant: 'staff',
      flagMetadata: { version: expect.any(Number) },
    });
    expect(await client.getBooleanDetails('new-checkout', true, { targetingKey: 'u2' })).toMatchObject({
      value: false,
      reason: 'DEFAULT',
    });
    expect(await client.getStringDetails('banner', 'x')).toMatchObject({
      value: 'spring',
      reason: 'STATIC',
      variant: 'default',
    });
  });

  it('resolves numbers, objects and the variants of splits', async () => {
    const client = await connect({ 'X-API-Key': SECRET_KEY });
    expect(await client.getNumberDetails('price', 1)).toMatchObject({ value: 12.5, variant: 'default' });
    expect(await client.getNumberDetails('price', 1, staff)).toMatchObject({ value: 0, variant: 'staff' });
    expect(await client.getNumberDetails('size', 1)).toMatchObject({
      value: 4,
      reason: 'SPLIT',
      variant: 'large',
    });
    expect(await client.getObjectDetails('pricing', {})).toMatchObject({ value: PRICING, reason: 'STATIC' });
    expect(await client.getObjectDetails('theme', {})).toMatchObject({ value: { dark: true }, variant: '0' });
    for (const details of [
      client.getNumberDetails('pricing', 3),
      client.getStringDetails('price', 'x'),
      client.getObjectDetails('price', {}),
    ]) {
      expect(await details).toMatchObject({ errorCode: 'TYPE_MISMATCH' });
    }
  });

  it('accepts a base URL with a trailing slash, and the key as a bearer token', async () => {
    const client = await connect({ Authorization: `Bearer ${SECRET_KEY}` }, `${shop.server.url}/`);
    expect(await client.getStringDetails('banner', 'x')).toMatchObject({ value: 'spring', reason: 'STATIC' });
  });

  it('uses the environment of the X-Environment header', async () => {
    const client = await connect({ 'X-API-Key': SECRET_KEY, 'X-Environment': 'staging' });
    expect(await client.getBooleanDetails('new-checkout', true, staff)).toMatchObject({
      value: false,
      reason: 'DISABLED',
    });
    const nowhere = await connect({ 'X-API-Key': SECRET_KEY, 'X-Environment': 'nowhere' });
    expect(await nowhere.getStringDetails('banner', 'x')).toMatchObject({ value: 'x', errorCode: 'GENERAL' });
  });

  it('returns the default and an error code for unknown flags and wrong types', async () => {
    const client = await connect({ 'X-API-Key': SECRET_KEY });
    expect(await client.getBooleanDetails('unknown', true)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    for (const details of [
      client.getBooleanDetails('banner', true),
      client.getStringDetails('new-checkout', 'x'),
      client.getNumberDetails('banner', 7),
      client.getObjectDetails('banner', {}),
    ]) {
      expect(await details).toMatchObject({ errorCode: 'TYPE_MISMATCH' });
    }
  });

  it('returns the default if the key is missing, unknown or public', async () => {
    for (const headers of [
      {},
      { 'X-API-Key': 'service_sec_0123456789abcdefUnknown' },
      { 'X-API-Key': PUBLIC_KEY },
    ]) {
      const client = await connect(headers as Record<string, string>);
      expect(await client.getStringDetails('banner', 'x')).toMatchObject({
        value: 'x',
        errorCode: 'GENERAL',
      });
    }
  });

  it('uses a change in the next evaluation', async () => {
    const client = await connect({ 'X-API-Key': SECRET_KEY });
    const flags = [{ key: 'banner', environments: { production: { value: 'summer' } } }];
    await applyProvision(shop.server, { properties: [{ id: 'shop', flags }] });
    await waitFor('the change', async () => (await client.getStringValue('banner', 'x')) === 'summer');
  });

  it('pauses for Retry-After when rate limited', async () => {
    const server = await startServer({ provision: SAMPLE, env: { RATE_LIMIT_PER_SECOND: '1' } });
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    const client = await connect({ 'X-API-Key': SECRET_KEY }, server.url);
    let limited = 0;
    await waitFor('a 429', async () => {
      await client.getStringValue('banner', 'x');
      const statuses = await Promise.all(
        fetchSpy.mock.results.map(async ({ value }) => (await value).status),
      );
      limited = statuses.filter((status) => status === 429).length;
      return limited > 0;
    });
    const before = fetchSpy.mock.calls.length;
    expect(await client.getStringDetails('banner', 'x')).toMatchObject({ value: 'x', errorCode: 'GENERAL' });
    expect(fetchSpy.mock.calls.length).toBe(before);
    await waitFor('a response again', async () => (await client.getStringValue('banner', 'x')) === 'spring');
    fetchSpy.mockRestore();
    await discard(server);
  });
});
