import type { RequestListener } from 'node:http';
import fastify from 'fastify';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { loadExpress } from '../../testing/load-express.ts';
import { FRAMEWORKS, fromPage, listen, type RelaySite } from '../../testing/relay-site.ts';
import { createSwitchyard, type RelayOptions } from '../node.ts';

// Nothing here needs the service.
const switchyard = createSwitchyard({
  apiUrl: 'http://127.0.0.1:9',
  secretApiKey: 'service_sec_unused',
  propertyId: 'shop',
  evaluation: 'remote',
});
afterAll(() => switchyard.close());

const sites: RelaySite[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

describe('options', () => {
  const open = async (options: RelayOptions, framework = 'node:http') => {
    const site = await FRAMEWORKS[framework]!(switchyard.relay(options));
    sites.push(site);
    return site;
  };
  const statuses = async (site: RelaySite, count: number, headers: Record<string, string> = {}) => {
    const responses = await Promise.all(
      Array.from({ length: count }, () => fromPage(site, '/v1/flags/evaluate', { headers })),
    );
    return { responses, limited: responses.filter(({ status }) => status === 429) };
  };

  it('limits requests by address and by session', async () => {
    const clientAddress = (request: unknown) =>
      (request as { headers: Record<string, string> }).headers['x-real-ip'];
    // One request per 1000 seconds: nothing is refilled during the test.
    const limits = { perAddress: 0.001, perSession: 0 };
    const byAddress = await open({ flags: [], clientAddress, limits });
    const first = await statuses(byAddress, 3, { 'x-real-ip': '2001:db8::1' });
    expect(first.limited).toHaveLength(2);
    expect(first.limited[0]!.headers.get('retry-after')).toBe('1');
    expect(first.limited[0]!.body.error.code).toBe('rate_limited');
    // The same network.
    expect((await statuses(byAddress, 1, { 'x-real-ip': '2001:db8:0:0:ffff::2' })).limited).toHaveLength(1);
    // Clients may share a quota, by design and rarely: not all of these do.
    const elsewhere = await Promise.all(
      ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((ip) => statuses(byAddress, 1, { 'x-real-ip': ip })),
    );
    expect(elsewhere.some(({ limited }) => limited.length === 0)).toBe(true);

    // Just below a power of two, where the sum of time and refill is rounded in any process older than half a second.
    const refillMs = 2 ** 20 - 500;
    const bySession = await open({ limits: { perAddress: 0, perSession: 1000 / refillMs } });
    expect((await statuses(bySession, 2, { cookie: 'sy_session=session-a' })).limited).toHaveLength(1);
    // Each session can send its first request, whatever the rounding; a few may share a quota.
    const others = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        statuses(bySession, 1, { cookie: `sy_session=other-session-${i}` }),
      ),
    );
    expect(others.flatMap(({ limited }) => limited).length).toBeLessThan(4);
  });

  it('limits all requests without an address together', async () => {
    const site = await open({ limits: { perAddress: 0.0001 } }, 'Fetch');
    expect((await statuses(site, 3)).limited).toHaveLength(2);
  });

  it('`events: false` forwards nothing', async () => {
    const site = await open({ events: false });
    expect((await fromPage(site, '/v1/sessions/collect')).status).toBe(404);
    expect((await fromPage(site, '/v1/split-testing/config', { method: 'GET' })).status).toBe(404);
  });

  it('`origins` are own origins too', async () => {
    const site = await open({ origins: ['https://shop.example/'] });
    const call = (origin: string) => fromPage(site, '/v1/flags/evaluate', { headers: { origin } });
    expect((await call('https://shop.example')).status).toBe(200);
    expect((await call('https://www.shop.example')).status).toBe(403);
  });

  it('a `context` that fails gives no values, because they could be those of somebody else', async () => {
    const site = await open({
      flags: ['new-checkout'],
      context: () => Promise.reject(new Error('no database')),
    });
    const response = await fromPage(site, '/v1/flags/evaluate');
    expect([response.status, response.body.error.code]).toEqual([500, 'internal_error']);
    expect(response.text).not.toContain('no database');
  });
});

describe('the path of the relay', () => {
  const express = loadExpress();
  const own: RequestListener = (_request, response) => response.end('own');
  /** What the site responds with at each path: the client's script, something else of the relay, or its own content. */
  const contentAt = async (site: RelaySite, paths: string[]) => {
    sites.push(site);
    return Promise.all(
      paths.map(async (path) => {
        const response = await fetch(site.url + path);
        const text = await response.text();
        return response.headers.get('content-type')?.startsWith('text/javascript') ? 'script' : text;
      }),
    );
  };
  const PATHS = ['/sy/sdk.js?v=1', '/sdk.js', '/assets/sdk.js', '/sy/vendor/sdk.js', '/sys/sdk.js'];
  const OWN_EXCEPT_FIRST = ['script', 'own', 'own', 'own', 'own'];

  it.each<[string, RequestListener]>([
    ['Express, mounted', express().use('/sy', switchyard.relay({})).use(own)],
    ['Express, at the root', express().use(switchyard.relay({})).use(own)],
    [
      'Express, in a router',
      express()
        .use(express.Router().use('/:site', switchyard.relay({ path: '/sy' })))
        .use(own),
    ],
    [
      'node:http',
      (request, response) => switchyard.relay({})(request, response, () => own(request, response)),
    ],
    [
      'Connect',
      (request, response) => {
        const originalUrl = request.url!;
        if (!originalUrl.startsWith('/sy/')) return own(request, response);
        Object.assign(request, { originalUrl, url: originalUrl.slice('/sy'.length) });
        switchyard.relay({})(request, response, () => own(request, response));
      },
    ],
  ])('%s: nothing else is taken from the site', async (_name, app) => {
    expect(await contentAt(await listen(app), PATHS)).toEqual(OWN_EXCEPT_FIRST);
  });

  it('Fastify, at the root: nothing else is taken from the site', async () => {
    const app = fastify();
    app.register(switchyard.relay({}).fastify);
    app.get('/*', async () => 'own');
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const content = await contentAt({ url, close: () => app.close() }, PATHS);
    expect(content.map((text) => (text.includes('not_found') ? 'relay' : text))).toEqual([
      ...OWN_EXCEPT_FIRST.slice(0, 3),
      'relay',
      'own',
    ]);
  });

  it('Fastify, with parameters in the prefix', async () => {
    const app = fastify();
    app.register(switchyard.relay({}).fastify, { prefix: '/:site/sy/' });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const content = await contentAt({ url, close: () => app.close() }, ['/a/sy/sdk.js', '/a/sy/b/sdk.js']);
    expect(content).toEqual(['script', expect.stringContaining('not_found')]);
  });

  it('`path` sets it', async () => {
    for (const [path, expected] of [
      ['api/sy/', '/api/sy/sdk.js'],
      ['/', '/sdk.js'],
    ] as const) {
      const relay = switchyard.relay({ path });
      const statusAt = async (url: string) =>
        (await relay.fetch(new Request(`http://shop.example${url}`))).status;
      expect([await statusAt(expected), await statusAt('/sy/sdk.js'), await statusAt('/a/sdk.js')]).toEqual([
        200, 404, 404,
      ]);
      const site = await listen(express().use(relay).use(own));
      expect(await contentAt(site, [expected, '/sy/sdk.js'])).toEqual(['script', 'own']);
    }
  });
});

describe('the app around the relay', () => {
  it('Fastify: handles its own errors', async () => {
    const app = fastify();
    app.addHook('onRequest', async () => {
      throw Object.assign(new Error('Sign in first'), { statusCode: 401, code: 'NOT_SIGNED_IN' });
    });
    app.register(switchyard.relay({}).fastify, { prefix: '/sy' });
    const response = await app.inject({ url: '/sy/sdk.js' });
    expect(response.json()).toMatchObject({ statusCode: 401, code: 'NOT_SIGNED_IN' });
    await app.close();
  });

  it('Express: the host is that of a trusted proxy, read without `req.host`, which Express 4 warns about', async () => {
    const app = loadExpress()().use('/sy', switchyard.relay({}));
    Object.defineProperty(app.request, 'host', { get: () => expect.unreachable('deprecated') });
    const site = await listen(app);
    sites.push(site);
    const headers = {
      origin: 'https://shop.example:8443',
      'x-forwarded-host': 'shop.example:8443, proxy.example',
    };
    const call = async () => (await fromPage(site, '/v1/flags/evaluate', { headers })).status;
    expect(await call()).toBe(403);
    app.set('trust proxy', 'loopback');
    expect(await call()).toBe(200);
  });
});
