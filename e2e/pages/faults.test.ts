import { discard, startServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, variations, visitor } from '../support/browser-suite.ts';
import { pageWithSdk, sessionsOf, sorted, VISITS_PROVISION, watchRequests } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

/** Number of pending batches in storage. */
const pending = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(':q:')).length);
const delivered = (page: Page) => waitFor('the queue to be empty', async () => (await pending(page)) === 0);

/** Simulates a hidden tab, because headless tabs are always visible. */
const hide = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });

describe.skipIf(isMissing)('faults in Chromium', () => {
  test('offline and back: everything is delivered once', async () => {
    const { page, context } = suite;
    await page.goto(suite.site.url);
    const { hero } = await variations(page);
    await flush(page);
    await context.setOffline(true);
    await read(page, 'hero');
    await page.evaluate(() => sy.track('offline'));
    await flush(page);
    expect(await pending(page)).toBe(1);
    expect(await suite.stored()).toEqual([['pageview /']]);
    await context.setOffline(false);
    await delivered(page);
    await flush(page);
    expect(await suite.stored()).toEqual([['event offline', `exposure hero=${hero}`, 'pageview /']]);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('offline until the page is closed: the next page delivers its batches', async () => {
    const { page, context, site } = suite;
    await page.goto(site.url);
    await page.evaluate(() => sy.ready());
    await flush(page);
    await context.setOffline(true);
    await page.evaluate(() => sy.track('left behind'));
    await flush(page);
    const other = await context.newPage();
    await page.close();
    await context.setOffline(false);
    await other.goto(`${site.url}/next`);
    await delivered(other);
    await flush(other);
    expect(await suite.stored(other)).toEqual([['event left behind', 'pageview /', 'pageview /next']]);
  });

  test('a restart of the server: nothing is lost or counted twice', async () => {
    const { page, site } = suite;
    let own = await startServer({ provision: VISITS_PROVISION });
    const { port } = new URL(own.url);
    await page.goto(site.put('/restart', pageWithSdk(own.url)));
    await read(page, 'hero');
    const { hero } = await variations(page);
    await page.evaluate(() => sy.track('before'));
    await flush(page);
    await own.stop('SIGKILL');
    await page.evaluate(() => sy.track('meanwhile'));
    await flush(page);
    expect(await pending(page)).toBe(1);
    own = await startServer({ dataDir: own.dataDir, env: { PORT: port } });
    await page.evaluate(() => sy.track('after'));
    await delivered(page);
    await flush(page);
    const sessions = await sessionsOf(own, await visitor(page));
    await discard(own);
    expect(sessions.map(sorted)).toEqual([
      ['event after', 'event before', 'event meanwhile', `exposure hero=${hero}`, 'pageview /restart'],
    ]);
  });

  test('a lost response: the batch is resent and counts once', async () => {
    const { page, server, site } = suite;
    const keys: (string | null)[] = [];
    let isLost = true;
    await page.route(`${server.url}/v1/sessions/collect*`, async (route) => {
      keys.push(new URL(route.request().url()).searchParams.get('idempotencyKey'));
      const response = await route.fetch();
      if (isLost) await route.abort('connectionreset');
      else await route.fulfill({ response });
      isLost = false;
    });
    await page.goto(site.url);
    await flush(page);
    await delivered(page);
    expect(keys).toEqual([expect.stringMatching(/./), keys[0]]);
    expect(await suite.stored()).toEqual([['pageview /']]);
  });

  test('429 with Retry-After: no request before that time, even if the page is hidden', async () => {
    const { page, server, site } = suite;
    await page.clock.install();
    let attempts = 0;
    await page.route(`${server.url}/v1/sessions/collect*`, async (route) => {
      if (attempts++ > 0) return route.continue();
      const headers = {
        'retry-after': '120',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'retry-after',
      };
      await route.fulfill({ status: 429, headers, body: '{}' });
    });
    await page.goto(site.url);
    await flush(page);
    await page.clock.fastForward(115_000);
    await hide(page);
    await flush(page);
    expect([attempts, await pending(page)]).toEqual([1, 1]);
    await page.clock.fastForward(10_000);
    await delivered(page);
    expect(attempts).toBe(2);
    expect(await suite.stored()).toEqual([['pageview /']]);
  });

  test('a rejected batch is not resent, and other batches are still sent', async () => {
    const { page, server, site } = suite;
    const requests = watchRequests(page, server.url);
    await page.route(`${server.url}/v1/split-testing/expose*`, (route) =>
      route.fulfill({ status: 400, headers: { 'access-control-allow-origin': '*' }, body: '{}' }),
    );
    await page.goto(site.url);
    await flush(page);
    await read(page, 'hero');
    await flush(page);
    await page.evaluate(() => sy.track('after'));
    await flush(page);
    expect(await pending(page)).toBe(0);
    expect(requests.filter((request) => request.includes('expose'))).toHaveLength(1);
    expect(await suite.stored()).toEqual([['event after', 'pageview /']]);
  });

  test('45 events are sent in batches and none is lost', async () => {
    const { page, server, site } = suite;
    const requests = watchRequests(page, server.url);
    await page.goto(site.url);
    await page.evaluate(() => {
      for (let i = 0; i < 45; i++) sy.track(`event ${i}`);
    });
    await waitFor('all events', async () => (await suite.stored())[0]?.length === 46);
    await flush(page);
    expect((await suite.stored())[0]).toHaveLength(46);
    expect(requests.filter((request) => request.includes('collect'))).toHaveLength(3);
  });

  test('a batch first tried more than 23 hours ago is dropped', async () => {
    const { page, site } = suite;
    const hour = 60 * 60 * 1000;
    await page.goto(`${site.url}/elsewhere`);
    await page.evaluate((ms) => {
      const batch = (name: string, triedAt: number) =>
        localStorage.setItem(
          `sy:propertyId=shop:q:${name}`,
          JSON.stringify({
            path: '/v1/sessions/collect',
            body: JSON.stringify({
              propertyId: 'shop',
              sessionId: 'old-session',
              visitorId: 'old-visitor',
              events: [{ type: 'event', name }],
            }),
            triedAt,
          }),
        );
      batch('expired on the server', Date.now() - 24 * ms);
      batch('tried an hour ago', Date.now() - ms);
      batch('never tried', 0);
      localStorage.setItem('sy:propertyId=shop:q:broken', '{');
      localStorage.setItem('sy:propertyId=shop:q:another version', '{"v":2}');
    }, hour);
    await page.goto(site.url);
    await delivered(page);
    const [session] = await sessionsOf(suite.server, 'old-visitor');
    expect(sorted(session)).toEqual(['event never tried', 'event tried an hour ago']);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('navigation right after a read: the exposure is delivered', async () => {
    const { page, server, site } = suite;
    await page.goto(site.url);
    const id = await visitor(page);
    const { hero } = await variations(page);
    await page.evaluate(() => {
      sy.splitTest.get('hero', '');
      location.href = '/elsewhere';
    });
    await page.waitForURL('**/elsewhere');
    await waitFor('the exposure', async () => (await sessionsOf(server, id))[0]?.timeline.length === 2);
    // The next page cannot know that it was delivered and resends it.
    await page.goto(`${site.url}/next`);
    await delivered(page);
    await flush(page);
    expect(await suite.stored()).toEqual([[`exposure hero=${hero}`, 'pageview /', 'pageview /next']]);
  });

  test('hidden right after a read: the exposure is sent immediately', async () => {
    const { page, site } = suite;
    // The clock is stopped, so that the flush timer does not fire.
    await page.clock.install();
    await page.goto(site.url);
    await read(page, 'hero');
    const { hero } = await variations(page);
    await hide(page);
    await delivered(page);
    expect(await suite.stored()).toEqual([[`exposure hero=${hero}`, 'pageview /']]);
  });

  test('an event tracked during unload is sent immediately, regardless of the listener order', async () => {
    const { page, server, site } = suite;
    for (const type of ['visibilitychange', 'pagehide']) {
      await page.goto(site.url);
      await page.evaluate(async (name) => {
        addEventListener(name, () => sy.track(`left on ${name}`));
        await sy.flush();
      }, type);
      const id = await visitor(page);
      await page.goto(`${site.url}/elsewhere`);
      const isStored = async () =>
        (await sessionsOf(server, id))[0]?.timeline.some(({ name }) => name === `left on ${type}`);
      await waitFor(type, isStored);
    }
  });

  test('many events of a hidden page are sent in batches and none is lost', async () => {
    const { page, server, site } = suite;
    await page.goto(site.url);
    await flush(page);
    await hide(page);
    const requests = watchRequests(page, server.url);
    await page.evaluate(() => {
      for (let i = 0; i < 100; i++) sy.track(`event ${i}`, { note: 'x'.repeat(300) });
    });
    await delivered(page);
    const [session] = await sessionsOf(server, await visitor(page));
    expect(new Set(session!.timeline.map(({ name }) => name).filter(Boolean)).size).toBe(100);
    expect(requests.length).toBeLessThan(20);
  });

  test('all requests to the service are blocked: the page shows fallbacks without errors', async () => {
    const { page, server, site } = suite;
    await page.route(`${server.url}/**`, (route) => route.abort('blockedbyclient'));
    await page.goto(site.url);
    expect(await read(page, 'hero')).toEqual(['fallback']);
    await page.evaluate(() => sy.track('blocked'));
    await flush(page);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('a throwing fetch, throwing listeners and values that are not JSON cause no errors', async () => {
    const { page, server, site } = suite;
    const before = 'window.fetch = () => { throw new Error("replaced") }';
    await page.goto(site.put('/hostile', pageWithSdk(server.url, { before })));
    const result = await page.evaluate(async () => {
      const cyclic: Record<string, unknown> = {};
      cyclic.self = cyclic;
      sy.subscribe(() => {
        throw new Error('listener');
      });
      await sy.ready();
      sy.track('cyclic', cyclic);
      sy.track('too large', { text: 'x'.repeat(9000) });
      sy.track('', {});
      sy.track(undefined as unknown as string);
      sy.identify(null as unknown as string);
      sy.setAttributes(cyclic);
      sy.setAttributes(undefined as unknown as Record<string, unknown>);
      sy.setConsent(true);
      await sy.flush();
      return sy.splitTest.get('hero', 'fallback');
    });
    expect(result).toBe('fallback');
    expect(suite.consoleMessages.filter((text) => !text.startsWith('[switchyard] '))).toEqual([]);
  });

  test.each([
    { blocked: 'cookies', keptIn: 'localStorage', isStorageBlocked: false },
    { blocked: 'cookies and localStorage', keptIn: 'memory', isStorageBlocked: true },
  ])('blocked: $blocked; the visitor is kept in $keptIn', async ({ isStorageBlocked }) => {
    const { page, context, site } = suite;
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setDocumentCookieDisabled', { disabled: true });
    if (isStorageBlocked) {
      await page.addInitScript(() => {
        Object.defineProperty(window, 'localStorage', {
          get() {
            throw new DOMException('denied', 'SecurityError');
          },
        });
      });
    }
    await page.goto(site.url);
    await read(page, 'hero', 'hero');
    const { hero } = await variations(page);
    const id = await visitor(page);
    await flush(page);
    expect(await context.cookies()).toEqual([]);
    expect(await suite.stored()).toEqual([[`exposure hero=${hero}`, 'pageview /']]);
    await page.reload();
    expect((await visitor(page)) === id).toBe(!isStorageBlocked);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('localStorage is blocked: the visitor is stored in cookies', async () => {
    const { page, site } = suite;
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    });
    await page.goto(site.url);
    const [shown] = await read(page, 'hero');
    const id = await visitor(page);
    await flush(page);
    await page.reload();
    expect(await visitor(page)).toBe(id);
    expect(await read(page, 'hero')).toEqual([shown]);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('a sandboxed frame, where cookies and storage throw', async () => {
    const { page, server, site } = suite;
    site.put('/frame', `<!doctype html><iframe sandbox="allow-scripts" src="${site.url}/"></iframe>`);
    await page.goto(`${site.url}/frame`);
    const frame = await waitFor('the frame', () => page.frames()[1]);
    await frame.waitForFunction(() => typeof sy !== 'undefined');
    const result = await frame.evaluate(async () => {
      await sy.ready();
      const shown = sy.splitTest.get('hero', 'fallback');
      await sy.flush();
      return { shown, id: sy.visitorId()! };
    });
    expect(['Buy', 'Get it']).toContain(result.shown);
    const sessions = await sessionsOf(server, result.id);
    expect(sessions.map((it) => it.timeline.length)).toEqual([2]);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('localStorage is full: the SDK falls back to memory', async () => {
    const { page, site } = suite;
    await page.goto(`${site.url}/elsewhere`);
    await page.evaluate(() => {
      let size = 2 ** 22;
      for (let i = 0; size > 0; i++) {
        try {
          localStorage.setItem(`filler ${i}`, 'x'.repeat(size));
        } catch {
          size = Math.floor(size / 2);
        }
      }
    });
    await page.goto(site.url);
    await read(page, 'hero');
    const { hero } = await variations(page);
    await flush(page);
    expect(await suite.stored()).toEqual([[`exposure hero=${hero}`, 'pageview /']]);
    expect(suite.consoleMessages).toEqual([]);
  });
});
