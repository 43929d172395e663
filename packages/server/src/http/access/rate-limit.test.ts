import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PER_SECOND = 5;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ env: { RATE_LIMIT_PER_SECOND: String(PER_SECOND) } });
});
afterAll(() => closeShop(shop));

const list = () => shop.server.call('GET', '/v1/flags/list?propertyId=shop', { key: SECRET_KEY });
const config = () => shop.server.call('GET', '/v1/split-testing/config?propertyId=shop', { key: PUBLIC_KEY });

describe('a limit of 5 requests per second and key', () => {
  it('returns 429 with Retry-After beyond the limit', async () => {
    const startedAt = Date.now();
    const responses: TestResponse[] = await Promise.all(Array.from({ length: 30 }, list));
    const elapsed = Date.now() - startedAt;
    const allowed = responses.filter(({ status }) => status === 200);
    const rejected = responses.filter(({ status }) => status !== 200);
    expect(allowed.length).toBeGreaterThanOrEqual(PER_SECOND);
    expect(allowed.length).toBeLessThanOrEqual(PER_SECOND + Math.ceil((elapsed * PER_SECOND) / 1000));
    expect(rejected.length).toBeGreaterThan(0);
    for (const response of rejected) {
      expectProblem(response, { status: 429, code: 'rate_limited' });
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
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
    // The other key has its own bucket.
    expect((await config()).status).toBe(200);
  });

  it('accepts requests again after the time in Retry-After', async () => {
    const responses = await Promise.all(Array.from({ length: 30 }, list));
    const rejected = responses.filter(({ status }) => status === 429);
    const seconds = Math.max(...rejected.map(({ headers }) => Number(headers.get('retry-after'))));
    expect(seconds).toBeGreaterThan(0);
    const until = Date.now() + seconds * 1000;
    while (Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await list()).status).toBe(200);
  });

  it('also counts requests with the wrong kind of key', async () => {
    const wrong = () => shop.server.call('GET', '/v1/flags/list?propertyId=shop', { key: PUBLIC_KEY });
    const responses = await Promise.all(Array.from({ length: 30 }, wrong));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([403, 429]));
  });

  it('does not limit requests without a key or open endpoints', async () => {
    const anonymous = () => shop.server.call('GET', '/v1/flags/list?propertyId=shop');
    const responses = await Promise.all(Array.from({ length: 30 }, anonymous));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]));
    const probes = await Promise.all(Array.from({ length: 30 }, () => shop.server.call('GET', '/healthz')));
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('a limit per client address', () => {
  const PER_ADDRESS = 4;
  const BURST = 5 * PER_ADDRESS;
  const perAddress = { RATE_LIMIT_PER_ADDRESS: String(PER_ADDRESS) };

  const start = (env: Record<string, string>) =>
    openShop({ env: { RATE_LIMIT_PER_SECOND: '5000', TRUST_PROXY: '1', ...env } });
  // Each test uses its own addresses.
  let limited: Shop;
  beforeAll(async () => {
    limited = await start(perAddress);
  });
  afterAll(() => closeShop(limited));

  const configFrom = (address: string, { server } = limited) =>
    server.call('GET', '/v1/split-testing/config?propertyId=shop', {
      key: PUBLIC_KEY,
      headers: { 'x-forwarded-for': address },
    });
  const many = (send: (i: number) => Promise<TestResponse>, count = 3 * BURST): Promise<TestResponse[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => send(i)));
  const statuses = (responses: TestResponse[]) => [...new Set(responses.map(({ status }) => status))].sort();

  it('rejects only the address that sends too many requests', async () => {
    const responses = await many(() => configFrom('198.51.100.1'));
    expect(statuses(responses)).toEqual([200, 429]);
    const rejected = responses.filter(({ status }) => status === 429);
    expect(responses.length - rejected.length).toBeGreaterThanOrEqual(BURST);
    for (const response of rejected) {
      expectProblem(response, { status: 429, code: 'rate_limited' });
      expect(response.body.detail).toContain('client address');
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.headers.get('ratelimit-policy')).toBe(`"address";q=${BURST};w=5`);
      expect(response.headers.get('ratelimit')).toBe('"address";r=0;t=5');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
    const other = await configFrom('198.51.100.2');
    expect(other.status).toBe(200);
    expect(other.headers.get('ratelimit-policy')).toBe(`"address";q=${BURST};w=5, "key";q=5000;w=1`);
    expect(other.headers.get('ratelimit')).toMatch(/^"address";r=19;t=5, "key";r=\d+;t=1$/);
  });

  it('applies to all public-key endpoints together, but not to preflights or secret keys', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.3' };
    await many(() => configFrom('198.51.100.3'));
    for (const path of ['/v1/split-testing/expose', '/v1/sessions/collect']) {
      const options = { key: PUBLIC_KEY, body: {}, headers };
      expect(statuses(await many(() => limited.server.call('POST', path, options)))).toContain(429);
      expect(statuses(await many(() => limited.server.send('OPTIONS', path, { headers })))).toEqual([204]);
    }
    const list = () =>
      limited.server.call('GET', '/v1/flags/list?propertyId=shop', { key: SECRET_KEY, headers });
    expect(statuses(await many(list))).toEqual([200]);
  });

  it.each(['/v1/split-testing/config', '/v1/flags/list'])('limits key guessing: %s', async (path) => {
    const address = path.includes('flags') ? '198.51.100.4' : '198.51.100.5';
    const guess = (i: number) =>
      limited.server.call('GET', `${path}?propertyId=shop`, {
        key: `service_sec_0123456789abcdef${i}`,
        headers: { 'x-forwarded-for': address },
      });
    expect(statuses(await many(guess))).toEqual([401, 429]);
  });

  it('treats an IPv6 /64 network as one client in every notation', async () => {
    const same = [
      '2001:db8:0:7::1',
      '2001:0DB8:0000:0007:aaaa:bbbb:cccc:dddd',
      '2001:db8::7:1:2:3:4',
      '2001:db8:0:7:a:b:192.0.2.1',
    ];
    const responses = await many((i) => configFrom(same[i % same.length]!));
    const allowed = responses.filter(({ status }) => status === 200);
    expect(statuses(responses)).toEqual([200, 429]);
    expect(allowed.length).toBeLessThan(2 * BURST);
    const others = [
      '2001:db8:0:8::1',
      '2001:db8::1',
      '::1',
      '2001:db8:7::1',
      '192.0.2.1',
      '::ffff:192.0.2.2',
    ];
    for (const other of others) expect([other, (await configFrom(other)).status]).toEqual([other, 200]);
  });

  it('treats an IPv4-mapped IPv6 address as the IPv4 address', async () => {
    const responses = await many((i) => configFrom(i % 2 === 0 ? '192.0.2.3' : '::ffff:192.0.2.3'));
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThan(2 * BURST);
  });

  const others: { name: string; env: Record<string, string>; found: number[]; policy: RegExp }[] = [
    {
      name: 'X-Forwarded-For is ignored without a trusted proxy',
      env: { ...perAddress, TRUST_PROXY: 'false' },
      found: [200, 429],
      policy: /^"address";q=20;w=5/,
    },
    {
      name: 'the default is 100 per second with bursts of 500',
      env: {},
      found: [200],
      policy: /^"address";q=500;w=5, /,
    },
    {
      name: 'RATE_LIMIT_PER_ADDRESS=0 disables it',
      env: { RATE_LIMIT_PER_ADDRESS: '0' },
      found: [200],
      policy: /^"key";q=5000;w=1$/,
    },
    {
      name: 'RATE_LIMIT_PER_SECOND=0 disables it',
      env: { ...perAddress, RATE_LIMIT_PER_SECOND: '0' },
      found: [200],
      policy: /^$/,
    },
  ];
  it.each(others)('$name', async ({ env, found, policy }) => {
    const shop = await start(env);
    try {
      const responses = await many((i) => configFrom(`198.51.100.${i}`, shop));
      expect(statuses(responses)).toEqual(found);
      for (const { headers } of responses) expect(headers.get('ratelimit-policy') ?? '').toMatch(policy);
    } finally {
      await closeShop(shop);
    }
  });
});
