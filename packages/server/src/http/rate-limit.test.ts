import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_KEY, SECRET_KEY } from '../testing/sample-property.ts';
import { closeShop, expectProblem, openShop, type Shop } from '../testing/shop.ts';
import type { Answer } from '../testing/test-server.ts';

const PER_SECOND = 5;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ env: { RATE_LIMIT_PER_SECOND: String(PER_SECOND) } });
});
afterAll(() => closeShop(shop));

const list = () => shop.server.call('GET', '/v1/flags/list?propertyId=shop', { key: SECRET_KEY });
const config = () => shop.server.call('GET', '/v1/split-testing/config?propertyId=shop', { key: PUBLIC_KEY });

describe('a limit of 5 requests per second and key', () => {
  it('responses 429 beyond it, and says when to come back', async () => {
    const startedAt = Date.now();
    const responses: Answer[] = await Promise.all(Array.from({ length: 30 }, list));
    const elapsed = Date.now() - startedAt;
    const allowed = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(allowed.length).toBeGreaterThanOrEqual(PER_SECOND);
    expect(allowed.length).toBeLessThanOrEqual(PER_SECOND + Math.ceil((elapsed * PER_SECOND) / 1000));
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expectProblem(answer, { status: 429, code: 'rate_limited' });
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    for (const { headers } of responses) {
      expect(headers.get('ratelimit-policy')).toMatch(/^"[^"]+";q=5;w=1$/);
      expect(headers.get('ratelimit')).toMatch(/^"[^"]+";r=\d+;t=\d+$/);
    }
    const remaining = allowed.map(({ headers }) =>
      Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]),
    );
    expect(Math.max(...remaining)).toBe(PER_SECOND - 1);
    expect(Math.min(...remaining)).toBe(0);
    // The other key has a bucket of its own.
    expect((await config()).status).toBe(200);
  });

  it('serves the key again after the time in Retry-After', async () => {
    const responses = await Promise.all(Array.from({ length: 30 }, list));
    const refused = responses.filter(({ status }) => status === 429);
    const seconds = Math.max(...refused.map(({ headers }) => Number(headers.get('retry-after'))));
    expect(seconds).toBeGreaterThan(0);
    const until = Date.now() + seconds * 1000;
    while (Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await list()).status).toBe(200);
  });

  it('counts requests with the wrong kind of key, too', async () => {
    const wrong = () => shop.server.call('GET', '/v1/flags/list?propertyId=shop', { key: PUBLIC_KEY });
    const responses = await Promise.all(Array.from({ length: 30 }, wrong));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([403, 429]));
  });

  it('does not limit those without a key, nor the addresses that need none', async () => {
    const anonymous = () => shop.server.call('GET', '/v1/flags/list?propertyId=shop');
    const responses = await Promise.all(Array.from({ length: 30 }, anonymous));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]));
    const probes = await Promise.all(Array.from({ length: 30 }, () => shop.server.call('GET', '/healthz')));
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
