import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const headers = (key?: string): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key };
const expose = (sessionId: string, key?: string) =>
  shop.browse(
    '/v1/split-testing/expose',
    { propertyId: 'shop', exposures: [{ splitTestKey: 'hero', variationKey: 'b', sessionId }] },
    headers(key),
  );
const collect = (sessionId: string, key?: string) =>
  shop.collect(
    { sessionId, visitorId: 'v-1', events: [{ type: 'pageview', url: 'https://shop.example/' }] },
    headers(key),
  );

describe('an idempotency key of a browser', () => {
  it('a batch that is sent again counts once', async () => {
    for (let i = 0; i < 3; i++) {
      expectAccepted(await expose('s-once', 'batch-1'));
      expectAccepted(await collect('s-once', 'batch-2'));
    }
    const { exposures, pageviews } = await shop.session('s-once');
    expect(exposures).toHaveLength(1);
    expect(pageviews).toBe(1);
  });

  it('a batch that is sent concurrently counts once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => expose('s-racing', 'batch-3')));
    expect((await shop.session('s-racing')).exposures).toHaveLength(1);
  });

  it('without a key, each request counts', async () => {
    await collect('s-twice');
    await collect('s-twice');
    expect((await shop.session('s-twice')).pageviews).toBe(2);
  });

  it('with another body: 422, and nothing is stored', async () => {
    await expose('s-first', 'batch-4');
    expectProblem(await expose('s-other', 'batch-4'), { status: 422, code: 'idempotency_key_reused' });
    expect(await shop.isUnknown('s-other')).toBe(true);
  });

  it('does not conflict with the same key of a backend', async () => {
    await expose('s-public', 'order-1001');
    expectAccepted(await shop.increment({ goalId: 'signup' }, { 'idempotency-key': 'order-1001' }));
  });

  it('is allowed by the preflight', async () => {
    for (const path of ['/v1/split-testing/expose', '/v1/sessions/collect']) {
      const preflight = await shop.server.send('OPTIONS', path, {
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,idempotency-key,x-api-key',
        },
      });
      expect(preflight.headers.get('access-control-allow-headers')).toMatch(/idempotency-key/);
    }
  });
});
