import { runInNewContext } from 'node:vm';
import assignments from '@switchyard/core/cases/assignment.json' with { type: 'json' };
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Bootstrap,
  choose,
  type SplitTestConfig,
  type SplitTestDefinition,
} from '../../client/split-tests.ts';
import { FaultyProxy } from '../../testing/faulty-proxy.ts';
import { connectThrough } from '../../testing/proxied-client.ts';
import type { Switchyard, SwitchyardOptions } from '../node.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const EVIL = '</script><script>alert(1)</script><!-- \u2028 & "quoted"';

const splitTests = [
  {
    key: 'pricing',
    type: 'json',
    status: 'running',
    variations: [
      { key: 'control', weight: 0, value: '{"price":10}' },
      { key: 'b', weight: 1, value: '{"price":12}' },
    ],
  },
  {
    key: 'quiet',
    type: 'id',
    status: 'running',
    trafficAllocation: 0,
    variations: [
      { key: 'control', weight: 1, value: 'control' },
      { key: 'b', weight: 1, value: 'b' },
    ],
  },
  {
    key: 'evil',
    type: 'text',
    status: 'running',
    variations: [
      { key: 'control', weight: 1, value: EVIL },
      { key: 'b', weight: 1, value: EVIL },
    ],
  },
];

interface AssignmentCase {
  name: string;
  test: Omit<SplitTestDefinition, 'key' | 'id' | 'type' | 'status'>;
  visitorId: string;
  userId?: string;
  holdout?: SplitTestConfig['holdout'];
  expected: { included: boolean; index: number };
}

let shop: Shop;
let proxy: FaultyProxy;
let client: Switchyard;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ splitTests }) });
});
afterAll(() => closeShop(shop));
beforeEach(async () => {
  proxy = await FaultyProxy.start(shop.server.url);
  client = connect();
});
afterEach(async () => {
  await client.close();
  proxy.close();
});

const connect = (options?: Partial<SwitchyardOptions>) => connectThrough(proxy, options);

const cookies = (sessionId: string, visitorId = `visitor-of-${sessionId}`) => ({
  headers: { cookie: `other=1; sy_visitor=${visitorId}; sy_session=${sessionId}` },
});
const exposures = (sessionId: string) => shop.timeline(sessionId, 'exposure');

describe('split tests of a request', () => {
  it('assigns like the browser, and records each exposure once per session', async () => {
    const request = cookies('session-assign', 'visitor-assign');
    const tests = await client.splitTest.forRequest(request, { attributes: { plan: 'pro' } });
    expect(tests).toMatchObject({ sessionId: 'session-assign', visitorId: 'visitor-assign' });
    const hero = tests.bootstrap!.config.tests.find(({ key }) => key === 'hero')!;
    const expected = choose(hero, { visitorId: 'visitor-assign' })!;
    expect(tests.peek('hero', 'x')).toBe(expected.value);
    expect(tests.bootstrap!.exposed).toEqual([]);
    expect(tests.get('hero', 'x')).toBe(expected.value);
    expect(tests.get('hero', 'x')).toBe(expected.value);
    expect(tests.get('pricing', null)).toEqual({ price: 12 });
    expect(tests.get('quiet', 'x')).toBe('control');
    expect(tests.get('no-such-test', 'x')).toBe('x');
    expect(tests.get('finished', 'x')).toBe('x');
    expect(tests.assignments().map(({ testKey }) => testKey)).toEqual(['hero', 'pricing', 'quiet', 'evil']);
    expect(tests.bootstrap!.exposed.sort()).toEqual(['hero', 'pricing']);

    const again = await client.splitTest.forRequest(request);
    expect(again.get('hero', 'x')).toBe(expected.value);
    expect(again.bootstrap!.exposed.sort()).toEqual(['hero', 'pricing']);
    expect(await client.flush()).toEqual({ success: true });
    const recorded = await exposures('session-assign');
    expect(recorded).toHaveLength(2);
    expect(recorded.find(({ splitTestKey }) => splitTestKey === 'hero')).toMatchObject({
      variationKey: expected.variationKey,
      attributes: { plan: 'pro' },
    });
    const [sent, ...more] = proxy.requestsTo('/v1/split-testing/expose');
    expect(more).toEqual([]);
    const {
      exposures: [first],
    } = JSON.parse(sent!.body) as { exposures: { phase?: number }[] };
    expect(hero.phase).toBeGreaterThan(0);
    expect(first?.phase).toBe(hero.phase);
  });

  it('creates ids for new visitors, links the session to the visitor, and sets cookies', async () => {
    const request = new Request('https://shop.example/', { headers: { 'user-agent': FIREFOX } });
    const tests = await client.splitTest.forRequest(request);
    const { sessionId, visitorId } = tests;
    expect(sessionId).toMatch(/^[A-Za-z0-9-]{16,128}$/);
    tests.get('hero', 'x');
    expect(tests.setCookie).toEqual([
      `sy_visitor=${visitorId}; Max-Age=31536000; Path=/; SameSite=Lax; Secure`,
      `sy_session=${sessionId}; Max-Age=1800; Path=/; SameSite=Lax; Secure`,
    ]);
    const cookie = tests.setCookie.map((each) => each.split(';')[0]).join('; ');
    const next = await client.splitTest.forRequest({ headers: { cookie } });
    expect(next).toMatchObject({ sessionId, visitorId });
    expect(await client.flush()).toEqual({ success: true });
    expect(proxy.requestsTo('/v1/sessions/collect')).toHaveLength(1);
    expect(await shop.session(sessionId!)).toMatchObject({ visitorId, browser: 'Firefox', os: 'Linux' });
  });

  it('creates no session before something is recorded, also if that is in a later request', async () => {
    const tests = await client.splitTest.forRequest({ headers: {} });
    tests.peek('hero', 'x');
    expect(tests.setCookie).toHaveLength(2);
    expect(await client.flush()).toEqual({ success: true });
    expect(proxy.requestsTo('/v1/sessions/collect')).toEqual([]);
    const cookie = tests.setCookie.map((each) => each.split(';')[0]).join('; ');
    (await client.splitTest.forRequest({ headers: { cookie } })).get('hero', 'x');
    expect(await client.flush()).toEqual({ success: true });
    expect(await shop.session(tests.sessionId!)).toMatchObject({ visitorId: tests.visitorId });
  });

  it('links a new session of a known visitor at once, for conversions that belong to earlier exposures', async () => {
    const known = { headers: { cookie: 'sy_visitor=visitor-who-returns' } };
    const tests = await client.splitTest.forRequest(known);
    expect(await client.flush()).toEqual({ success: true });
    expect(await shop.session(tests.sessionId!)).toMatchObject({ visitorId: 'visitor-who-returns' });
    tests.get('hero', 'x');
    expect(await client.flush()).toEqual({ success: true });
    expect(proxy.requestsTo('/v1/sessions/collect')).toHaveLength(1);
  });

  it('marks the exposures of crawlers', async () => {
    for (const userAgent of ['Mozilla/5.0 (compatible; Googlebot/2.1)', FIREFOX]) {
      const { headers } = cookies('session-crawler');
      const request = { headers: { ...headers, 'user-agent': userAgent } };
      (await client.splitTest.forRequest(request)).get(userAgent === FIREFOX ? 'pricing' : 'hero', 'x');
    }
    await client.flush();
    const [sent] = proxy.requestsTo('/v1/split-testing/expose');
    const { exposures: sentExposures } = JSON.parse(sent!.body) as { exposures: { bot?: boolean }[] };
    expect(sentExposures.map(({ bot }) => bot)).toEqual([true, undefined]);
  });

  it('sets the cookie attributes of the options', async () => {
    await client.close();
    client = connect({ cookies: { domain: 'shop.example', secure: true } });
    const { setCookie } = await client.splitTest.forRequest({ headers: {}, url: '/' });
    expect(setCookie[0]).toMatch(/; Domain=shop\.example; Secure$/);
  });

  it('with the preset cnil, sets a visitor cookie of 13 months once, shares none, and sends no user id', async () => {
    await client.close();
    client = connect({ preset: 'cnil', cookies: { domain: 'shop.example' } });
    const request = { headers: {}, url: '/' };
    const tests = await client.splitTest.forRequest(request, { userId: 'user-cnil' });
    const { visitorId, sessionId } = tests;
    expect(tests.setCookie).toEqual([
      `sy_visitor=${visitorId}; Max-Age=34128000; Path=/; SameSite=Lax`,
      `sy_session=${sessionId}; Max-Age=1800; Path=/; SameSite=Lax`,
    ]);
    tests.get('hero', 'x');
    expect(tests.bootstrap).not.toHaveProperty('userId', 'user-cnil');
    const cookie = `sy_visitor=${visitorId}; sy_session=${sessionId}`;
    const next = await client.splitTest.forRequest({ headers: { cookie } }, { userId: 'user-cnil' });
    expect(next.setCookie).toEqual([expect.stringMatching(/^sy_session=/)]);
    await client.flush();
    expect(proxy.requests.map(({ body }) => body).join()).not.toContain('user-cnil');
  });

  it('shows a preview from the URL and does not record it', async () => {
    const request = { ...cookies('session-preview'), originalUrl: '/shop?sy_hero=b&sy_quiet=b', url: '/' };
    const tests = await client.splitTest.forRequest(request);
    expect(tests.get('hero', 'x')).toBe('Get it');
    expect(tests.get('quiet', 'x')).toBe('b');
    expect(tests.assignments().filter(({ preview }) => preview)).toHaveLength(2);
    const other = await client.splitTest.forRequest({
      ...cookies('session-preview-2'),
      url: '/?sy_hero=nothing',
    });
    expect(['Buy', 'Get it']).toContain(other.get('hero', 'x'));
    await client.flush();
    expect(await shop.isUnknown('session-preview')).toBe(true);
    expect(await exposures('session-preview-2')).toHaveLength(1);
  });

  it('without consent: fallbacks, no cookies, nothing recorded', async () => {
    const tests = await client.splitTest.forRequest(cookies('session-no-consent'), { consent: false });
    expect(tests.get('hero', 'x')).toBe('x');
    expect(tests).toMatchObject({ setCookie: [], bootstrap: null, sessionId: undefined });
    expect(tests.script()).toBe('');
    expect(await client.flush()).toEqual({ success: true });
    expect(proxy.requests).toEqual([]);
  });

  it.each([{ dnt: '1' }, { 'sec-gpc': '1' }])('does not take part with %o', async (signal) => {
    const { headers } = cookies('session-private');
    const request = { headers: { ...headers, ...signal } };
    for (const consent of [undefined, true]) {
      const tests = await client.splitTest.forRequest(request, { consent });
      expect([tests.get('hero', 'x'), tests.peek('hero', 'x')]).toEqual(['x', 'x']);
      expect(tests).toMatchObject({ setCookie: [], bootstrap: null, visitorId: undefined });
      expect(tests.script()).toBe('');
    }
    expect(await client.flush()).toEqual({ success: true });
    expect(proxy.requests).toEqual([]);
  });

  it('with respectPrivacySignals: false, takes part with explicit consent only', async () => {
    const asking = connect({ respectPrivacySignals: false });
    const request = { headers: { ...cookies('session-asked').headers, 'sec-gpc': '1' } };
    expect((await asking.splitTest.forRequest(request)).get('hero', 'x')).toBe('x');
    const tests = await asking.splitTest.forRequest(request, { consent: true });
    expect(tests.get('hero', 'x')).not.toBe('x');
    expect(tests.sessionId).toBe('session-asked');
    expect(tests.setCookie).toHaveLength(2);
    await asking.close();
  });

  it('writes a script that no content can break out of', async () => {
    const tests = await client.splitTest.forRequest(cookies('session-script'));
    tests.get('evil', '');
    const script = tests.script('n"once>');
    expect(script.match(/<\/script/g)).toHaveLength(1);
    expect(script).not.toMatch(/[\u2028\u2029]|<!--/);
    const [, attributes, code] = /^<script([^>]*)>(.*)<\/script>$/s.exec(script)!;
    expect(attributes).toBe(' nonce="n&#34;once&#62;"');
    const window: { __SWITCHYARD__?: Bootstrap } = {};
    runInNewContext(code!, { window });
    expect(JSON.stringify(window.__SWITCHYARD__)).toBe(JSON.stringify(tests.bootstrap));
    expect(window.__SWITCHYARD__?.config.tests.at(-1)?.variations[0]?.value).toBe(EVIL);
  });
});

it.each(assignments.cases as unknown as AssignmentCase[])(
  'assigns: $name',
  ({ test, visitorId, userId, holdout, expected }) => {
    const variations = test.variations.map((variation) => ({ ...variation, value: variation.key }));
    const definition = { ...test, key: 't', id: 't', type: 'id', status: 'running', variations } as const;
    const choice = choose(definition, { visitorId, userId, holdout });
    expect(choice?.included ?? false).toBe(expected.included);
    expect(choice?.variationKey).toBe(variations[expected.index]?.key);
  },
);

describe('definitions', () => {
  it('are fetched with the public key of the property, once for many requests', async () => {
    await Promise.all(Array.from({ length: 20 }, () => client.splitTest.forRequest(cookies('session-many'))));
    expect(proxy.requestsTo('/v1/keys/public')).toHaveLength(1);
    const [fetched, ...more] = proxy.requestsTo('/v1/split-testing/config');
    expect(fetched?.headers['x-api-key']).toBe(PUBLIC_KEY);
    expect(more).toEqual([]);
    await client.close();
    client = connect({ publicApiKey: PUBLIC_KEY });
    const tests = await client.splitTest.forRequest(cookies('session-given-key'));
    expect(tests.bootstrap?.config.tests.length).toBe(4);
    expect(proxy.requestsTo('/v1/keys/public')).toHaveLength(1);
  });

  it('are refreshed in the background, and kept while the service is down', async () => {
    let status = 200;
    // With a ttl of 0, the definitions are stale at every request.
    proxy.intercept = ({ path, headers }, response) => {
      if (!path.startsWith('/v1/split-testing/config')) return false;
      if (status !== 200) response.writeHead(status).end('{}');
      else if (headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"1"' }).end(JSON.stringify({ tests: configTests, ttl: 0 }));
      return true;
    };
    const configTests = [
      {
        key: 'one',
        id: 't',
        type: 'id',
        status: 'running',
        hashSeed: 's',
        trafficAllocation: 100,
        variations: [{ key: 'only', weight: 1, value: 'only' }],
      },
    ];
    const read = async () =>
      (await client.splitTest.forRequest(cookies('session-refreshed'))).peek('one', 'x');
    expect(await read()).toBe('only');
    await waitFor('a conditional request', async () => {
      expect(await read()).toBe('only');
      return proxy
        .requestsTo('/v1/split-testing/config')
        .some(({ headers }) => headers['if-none-match'] === '"1"');
    });
    status = 500;
    const before = proxy.requestsTo('/v1/split-testing/config').length;
    await waitFor('a failed refresh', async () => {
      expect(await read()).toBe('only');
      return proxy.requestsTo('/v1/split-testing/config').length > before;
    });
    expect(await read()).toBe('only');
  });

  it('are ignored if they are invalid', async () => {
    proxy.intercept = ({ path }, response) => {
      if (!path.startsWith('/v1/split-testing/config')) return false;
      response.writeHead(200).end('{"tests":[null,7,{"key":"bare"}],"ttl":60}');
      return true;
    };
    const tests = await client.splitTest.forRequest(cookies('session-nonsense'));
    expect([tests.get('bare', 'x'), tests.peek('hero', 'y'), tests.assignments()]).toEqual(['x', 'y', []]);
  });

  it('are not waited for after a failure', async () => {
    await client.close();
    // A request that waited would exceed the timeout of this test.
    client = connect({ timeoutMs: 600_000, publicApiKey: PUBLIC_KEY });
    proxy.intercept = (_request, response) => {
      response.destroy();
      return true;
    };
    const first = await client.splitTest.forRequest(cookies('session-outage'));
    expect(first.get('hero', 'x')).toBe('x');
    let hanging = 0;
    proxy.intercept = () => {
      hanging += 1;
      return true;
    };
    await waitFor('a refresh that hangs', async () => {
      const tests = await client.splitTest.forRequest(cookies('session-outage-again'));
      expect(tests.get('hero', 'x')).toBe('x');
      return hanging > 0;
    });
    expect((await client.splitTest.forRequest(cookies('session-outage'))).get('hero', 'x')).toBe('x');
  });
});

describe('delivery', () => {
  it('happens in the background, exactly once, despite lost responses and errors', async () => {
    const faults: (boolean | 'lose' | number)[] = ['lose', 503, 'lose'];
    proxy.intercept = ({ path }, response) => {
      if (!path.startsWith('/v1/split-testing/expose')) return false;
      const next = faults.shift() ?? false;
      if (typeof next !== 'number') return next;
      response.writeHead(next, { 'retry-after': '1' }).end('{}');
      return true;
    };
    const tests = await client.splitTest.forRequest(cookies('session-lost'));
    tests.get('hero', 'x');
    tests.get('pricing', 'x');
    await waitFor('four attempts', () => proxy.requestsTo('/v1/split-testing/expose').length === 4);
    const attempts = proxy.requestsTo('/v1/split-testing/expose');
    expect(new Set(attempts.map(({ headers, body }) => headers['idempotency-key'] + body)).size).toBe(1);
    await waitFor('the exposures', async () => !(await shop.isUnknown('session-lost')));
    expect(await exposures('session-lost')).toHaveLength(2);
  });

  it('stops after a day, when the service no longer remembers the idempotency key', async () => {
    proxy.intercept = ({ path }) => path.startsWith('/v1/split-testing/expose') && 'lose';
    (await client.splitTest.forRequest(cookies('session-of-yesterday'))).get('hero', 'x');
    await waitFor('an attempt', () => proxy.requestsTo('/v1/split-testing/expose').length > 0);
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 60 * 60 * 1000);
    proxy.intercept = () => false;
    const attempts = proxy.requestsTo('/v1/split-testing/expose').length;
    expect(await client.flush()).toEqual({ success: true });
    now.mockRestore();
    expect(proxy.requestsTo('/v1/split-testing/expose')).toHaveLength(attempts);
    expect(await exposures('session-of-yesterday')).toHaveLength(1);
  });

  it('loses no session when many requests fail at once', async () => {
    let failures = 10;
    proxy.intercept = ({ path }, response) => {
      if (!path.startsWith('/v1/sessions/collect') || failures-- <= 0) return false;
      response.writeHead(503).end('{}');
      return true;
    };
    const created = await Promise.all(
      Array.from({ length: 40 }, () => client.splitTest.forRequest({ headers: {} })),
    );
    for (const tests of created) tests.get('hero', 'x');
    expect(await client.flush()).toEqual({ success: true });
    for (const { sessionId, visitorId } of created) {
      expect(await shop.session(sessionId!)).toMatchObject({ visitorId });
    }
  });

  it('uses batches of up to 100, and reports rejected batches', async () => {
    await client.close();
    const errors: string[] = [];
    client = connect({ onError: ({ code }) => errors.push(code) });
    for (let i = 0; i < 250; i++) {
      (await client.splitTest.forRequest(cookies(`session-batch-${i}`))).get('hero', 'x');
    }
    expect(await client.flush()).toEqual({ success: true });
    const sizes = proxy
      .requestsTo('/v1/split-testing/expose')
      .map(({ body }) => (JSON.parse(body) as { exposures: unknown[] }).exposures.length);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(250);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(errors).toEqual([]);
    // A test that is deleted before its exposures arrive.
    proxy.intercept = ({ path }, response) => {
      if (!path.startsWith('/v1/split-testing/expose')) return false;
      const error = { code: 'split_test_not_found', message: 'There is no such test.' };
      response.writeHead(404).end(JSON.stringify({ success: false, error }));
      return true;
    };
    (await client.splitTest.forRequest(cookies('session-refused'))).get('hero', 'x');
    expect(await client.flush()).toEqual({ success: true });
    expect(errors).toEqual(['split_test_not_found']);
  });

  it('fetches a new public key when the old one is deleted', async () => {
    (await client.splitTest.forRequest(cookies('session-key-1'))).get('hero', 'x');
    await client.flush();
    let failures = 1;
    proxy.intercept = ({ path }, response) => {
      if (!path.startsWith('/v1/split-testing/expose') || failures-- <= 0) return false;
      const error = { code: 'api_key_invalid', message: 'Deleted.' };
      response.writeHead(401).end(JSON.stringify({ success: false, error }));
      return true;
    };
    (await client.splitTest.forRequest(cookies('session-key-2'))).get('hero', 'x');
    expect(await client.flush()).toEqual({ success: true });
    expect(proxy.requestsTo('/v1/keys/public')).toHaveLength(2);
    expect(await exposures('session-key-2')).toHaveLength(1);
  });

  it('is bounded while the service is down', async () => {
    await client.close();
    const errors = new Set<string>();
    client = connect({ timeoutMs: 300, publicApiKey: PUBLIC_KEY, onError: ({ code }) => errors.add(code) });
    await client.splitTest.forRequest(cookies('session-warm'));
    proxy.intercept = ({ path }) => path.startsWith('/v1/split-testing/expose');
    for (let i = 0; i < 12_000; i++) {
      (await client.splitTest.forRequest(cookies(`session-bound-${i}`))).get('hero', 'x');
    }
    expect(errors).toContain('queue_full');
    const flushed = await client.flush();
    expect(flushed).toMatchObject({ success: false, error: { code: 'timeout' } });
    const [pending] = /\d+/.exec(flushed.success ? '' : flushed.error.message)!;
    expect(Number(pending)).toBeLessThanOrEqual(10_000);
    expect(Number(pending)).toBeGreaterThan(9000);
  });
});

describe('the public key', () => {
  it('may be missing: tests return their fallback, and the error is reported', async () => {
    const key = 'service_sec_0123456789abcdefKeyless';
    await applyProvision(shop.server, {
      properties: [{ id: 'keyless', apiKeys: [{ kind: 'secret', name: 'only', key }] }],
    });
    await client.close();
    const errors: string[] = [];
    client = connect({
      secretApiKey: key,
      propertyId: 'keyless',
      onError: ({ code }) => errors.push(code),
    });
    await waitFor('the property', async () => (await client.ready()).success);
    const tests = await client.splitTest.forRequest(cookies('session-keyless'));
    expect(tests.get('hero', 'x')).toBe('x');
    expect(errors).toEqual(['public_key_not_found']);
  });
});
