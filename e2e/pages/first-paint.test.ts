import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, variations, visitor } from '../support/browser-suite.ts';
import { pageWithSdk, watchRequests } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

const DAY_MS = 24 * 60 * 60 * 1000;

/** Definitions whose value shows their origin. */
const definitions = (value: string, ttl = 60) => ({
  tests: [
    {
      key: 'hero',
      id: 'tst_1',
      type: 'text',
      status: 'running',
      hashSeed: 'seed-hero',
      trafficAllocation: 100,
      variations: [{ key: 'b', weight: 1, value }],
    },
  ],
  ttl,
});

/** The bodies of everything that the page sends from now on. */
function sentBodies(page: Page): string[] {
  const bodies: string[] = [];
  page.on('request', (request) => bodies.push(request.postData() ?? ''));
  return bodies;
}

const isHidden = () =>
  getComputedStyle(document.body).opacity === '0' ||
  getComputedStyle(document.documentElement).opacity === '0';

describe.skipIf(isMissing)('the first paint in Chromium', () => {
  test('bootstrap: ids, definitions and exposures of the server are available without a request', async () => {
    const { page, context, server, site } = suite;
    const visitorId = 'visitor-of-the-server';
    const bootstrap = {
      visitorId,
      sessionId: 'session-of-the-server',
      userId: 'user-of-the-server',
      config: definitions('From the server'),
      fetchedAt: Date.now(),
      exposed: ['hero'],
    };
    const before = `window.__SWITCHYARD__ = ${JSON.stringify(bootstrap)}`;
    const body = `<script>window.first = sy.splitTest.get('hero', 'fallback')</script>`;
    const requests = watchRequests(page, server.url);
    const bodies = sentBodies(page);
    await page.goto(site.put('/rendered', pageWithSdk(server.url, { before, body })));
    expect(await page.evaluate(() => (window as unknown as { first: string }).first)).toBe('From the server');
    expect(await visitor(page)).toBe(visitorId);
    await flush(page);
    expect(requests).toEqual(['POST /v1/sessions/collect']);
    expect(bodies.join()).toContain('"userId":"user-of-the-server"');
    expect(await suite.stored()).toEqual([['pageview /rendered']]);
    const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`);
    expect(cookies.sort()).toEqual([`sy_session=${bootstrap.sessionId}`, `sy_visitor=${visitorId}`]);
  });

  test('bootstrap of a cached page: cookies take precedence', async () => {
    const { page, server, site } = suite;
    await page.goto(site.url);
    const id = await visitor(page);
    const bootstrap = {
      visitorId: 'another-visitor',
      sessionId: 'another-session',
      userId: 'another-user',
      config: definitions('From the server'),
      fetchedAt: Date.now(),
      exposed: [],
    };
    const bodies = sentBodies(page);
    await page.goto(site.put('/cached', pageWithSdk(server.url, { options: { bootstrap } })));
    expect(await visitor(page)).toBe(id);
    expect(await page.evaluate(() => sy.splitTest.peek('hero', ''))).toBe('From the server');
    await flush(page);
    expect(bodies.join()).toContain('/cached');
    expect(bodies.join()).not.toContain('another-user');
  });

  test('stale definitions are used immediately and refreshed in the background; shown values do not change', async () => {
    const { page, server, site } = suite;
    const store = (age: number) =>
      page.evaluate(
        ([config, ms]) =>
          localStorage.setItem(
            'sy:propertyId=shop:config',
            JSON.stringify({ config, fetchedAt: Date.now() - (ms as number) }),
          ),
        [definitions('Stale'), age],
      );
    // Read by the page while it loads, before any response can arrive.
    const first = () => page.evaluate(() => (window as unknown as { first: string }).first);
    const body = `<script>window.first = sy.splitTest.get('hero', 'fallback')</script>`;
    const address = site.put('/at-once', pageWithSdk(server.url, { body }));
    await page.goto(`${site.url}/elsewhere`);
    await store(DAY_MS / 2);
    const requests = watchRequests(page, server.url);
    await page.goto(address);
    expect(await first()).toBe('Stale');
    await page.waitForFunction(() => !localStorage['sy:propertyId=shop:config'].includes('Stale'));
    expect(requests).toContain('GET /v1/split-testing/config');
    expect(await read(page, 'hero')).toEqual(['Stale']);
    const [layout] = await read(page, 'layout');
    expect(['control', 'b']).toContain(layout);
    await page.reload();
    const after = await first();
    expect(['Buy', 'Get it']).toContain(after);
    await store(DAY_MS + 1000);
    await page.reload();
    expect(await first()).toBe('fallback');
    expect(await page.evaluate(() => sy.ready().then(() => sy.splitTest.peek('hero', '')))).toBe(after);
  });

  test('invalid stored data is ignored', async () => {
    const { page, site } = suite;
    await page.goto(`${site.url}/elsewhere`);
    await page.evaluate(() => {
      for (const key of ['config', 'seen', 'q:1']) localStorage.setItem(`sy:propertyId=shop:${key}`, '{"a":');
      localStorage.setItem('sy_session', '"x"');
      // biome-ignore lint/suspicious/noDocumentCookie: any script of the page can write it
      document.cookie = 'sy_visitor=<script>; path=/';
    });
    await page.goto(site.url);
    const [shown] = await read(page, 'hero');
    expect(['Buy', 'Get it']).toContain(shown);
    expect(await visitor(page)).toMatch(/^[\d-]{8,}$/);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('preview: shown, marked, never recorded, and gone without the URL parameter', async () => {
    const { page, site } = suite;
    await page.goto(site.url);
    const mine = await variations(page);
    const other = mine.hero === 'b' ? 'control' : 'b';
    await page.goto(`${site.url}/next?sy_hero=${other}&sy_layout=none`);
    expect(await read(page, 'hero')).toEqual([other === 'b' ? 'Get it' : 'Buy']);
    await read(page, 'layout');
    await flush(page);
    const previews = await page.evaluate(() => sy.splitTest.previews());
    expect(previews).toEqual([
      {
        testKey: 'hero',
        phase: 1,
        variationKey: other,
        value: other === 'b' ? 'Get it' : 'Buy',
        included: false,
        preview: true,
      },
    ]);
    expect(await page.getAttribute('html', 'data-switchyard-preview')).toBe(`hero=${other}`);
    expect(suite.consoleMessages).toEqual([`[switchyard] preview hero=${other}`]);
    await page.goto(site.url);
    expect((await variations(page)).hero).toBe(mine.hero);
    expect(await page.getAttribute('html', 'data-switchyard-preview')).toBeNull();
    await flush(page);
    expect(await suite.stored()).toEqual([
      [`exposure layout=${mine.layout}`, 'pageview /', 'pageview /', 'pageview /next'],
    ]);
  });

  test('anti-flicker: hidden until the definitions are loaded', async () => {
    const { page, server, site } = suite;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`${server.url}/v1/split-testing/config*`, async (route) => {
      await released;
      await route.continue();
    });
    const options = { antiFlicker: { timeoutMs: 600_000 } };
    await page.goto(site.put('/hiding', pageWithSdk(server.url, { options, body: 'Hello' })));
    expect(await page.evaluate(isHidden)).toBe(true);
    release();
    await page.evaluate(() => sy.ready());
    expect(await page.evaluate(isHidden)).toBe(false);
    await page.reload();
    expect(await page.evaluate(isHidden)).toBe(false);
  });

  test('anti-flicker: hidden at most until the timeout, and shown immediately if the request fails', async () => {
    const { page, server, site } = suite;
    await page.clock.install();
    await page.route(`${server.url}/v1/split-testing/config*`, () => {});
    await page.goto(
      site.put('/hiding', pageWithSdk(server.url, { options: { antiFlicker: {} }, body: 'Hello' })),
    );
    expect(await page.evaluate(isHidden)).toBe(true);
    await page.clock.fastForward(1001);
    expect(await page.evaluate(isHidden)).toBe(false);
    await page.unrouteAll();
    await page.route(`${server.url}/**`, (route) => route.abort());
    await page.reload();
    await page.evaluate(() => sy.ready());
    expect(await page.evaluate(isHidden)).toBe(false);
    expect(suite.consoleMessages).toEqual([]);
  });
});
