import { waitFor } from '@switchyard/testing/time/wait';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, variations, visitor } from '../support/browser-suite.ts';
import { countSessions, pageWithSdk, sessionsOf, sorted, watchRequests } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

const POSTS = /^POST /;

describe.skipIf(isMissing)('the first view', () => {
  test('takes two requests: definitions, and one for session, page view and exposures', async () => {
    const { page, server, site } = suite;
    const requests = watchRequests(page, server.url);
    await page.goto(site.url);
    await read(page, 'hero', 'layout');
    await waitFor('the batch', async () => requests.some((request) => POSTS.test(request)));
    const { hero, layout } = await variations(page);
    await flush(page);
    expect(requests).toEqual(['GET /v1/split-testing/config', 'POST /v1/sessions/collect']);
    expect(await suite.stored()).toEqual([
      [`exposure hero=${hero}`, `exposure layout=${layout}`, 'pageview /'],
    ]);
    // Exposures alone need no session.
    await read(page, 'pricing');
    await flush(page);
    expect(requests.slice(2)).toEqual(['POST /v1/split-testing/expose']);
  });
});

/** Makes the page believe that it is being prerendered, until `show`. */
const prerender = (page: Page) =>
  page.addInitScript(() => {
    let isPrerendering = true;
    Object.defineProperty(document, 'prerendering', { get: () => isPrerendering });
    Object.assign(window, {
      show: () => {
        isPrerendering = false;
        document.dispatchEvent(new Event('prerenderingchange'));
      },
    });
  });
const show = (page: Page) => page.evaluate(() => (window as unknown as { show: () => void }).show());

describe.skipIf(isMissing)('a prerendered page', () => {
  test('that nobody sees is not counted, and a later page still records the exposure', async () => {
    const { page, context, server, site } = suite;
    const sessions = await countSessions(server);
    const requests = watchRequests(context, server.url);
    await prerender(page);
    await page.goto(site.url);
    const [shown] = await read(page, 'hero');
    // The page looks as it will when it is shown.
    expect(shown).not.toBe('fallback');
    await page.evaluate(() => sy.track('too early'));
    await flush(page);
    await page.goto('about:blank');
    expect(requests.filter((request) => POSTS.test(request))).toEqual([]);
    expect(await countSessions(server)).toBe(sessions);
    const later = await context.newPage();
    await later.goto(`${site.url}/next`);
    expect(await read(later, 'hero')).toEqual([shown]);
    const { hero } = await variations(later);
    await flush(later);
    expect(await suite.stored(later)).toEqual([[`exposure hero=${hero}`, 'pageview /next']]);
  });

  test('counts when it is shown, from that moment on', async () => {
    const { page, server, site } = suite;
    await prerender(page);
    await page.goto(site.url);
    await read(page, 'hero');
    await page.evaluate(() => sy.track('early'));
    const shownAt = await page.evaluate(() => {
      const at = Date.now();
      while (Date.now() === at);
      return Date.now();
    });
    await show(page);
    const { hero } = await variations(page);
    await flush(page);
    const [session] = await sessionsOf(server, await visitor(page));
    expect(sorted(session)).toEqual(['event early', `exposure hero=${hero}`, 'pageview /']);
    expect(session).toMatchObject({ startedAt: expect.any(Number) });
    expect((session as unknown as { startedAt: number }).startedAt).toBeGreaterThanOrEqual(shownAt);
  });
});

describe.skipIf(isMissing)('several clients', () => {
  test('two clients of a property in one page: views count once, events of both count', async () => {
    const { page, server, site } = suite;
    await page.goto(
      site.put(
        '/two',
        pageWithSdk(server.url, {
          body: '<script>window.second = switchyard.createSwitchyard(options)</script>',
        }),
      ),
    );
    await page.evaluate(async () => {
      const { second } = window as unknown as { second: typeof sy };
      history.pushState({}, '', '/two/a');
      sy.track('first');
      second.track('second');
      await Promise.all([sy.flush(), second.flush()]);
    });
    expect(await suite.stored()).toEqual([
      ['event first', 'event second', 'pageview /two', 'pageview /two/a'],
    ]);
    // The other one takes over.
    await page.evaluate(async () => {
      const { second } = window as unknown as { second: typeof sy };
      const id = sy.visitorId();
      sy.destroy();
      history.pushState({}, '', '/two/b');
      await second.flush();
      return id;
    });
    const id = await page.evaluate(() => (window as unknown as { second: typeof sy }).second.visitorId()!);
    expect((await sessionsOf(server, id)).map(sorted)).toEqual([
      ['event first', 'event second', 'pageview /two', 'pageview /two/a', 'pageview /two/b'],
    ]);
  });

  // Browsers do not say how soon tabs learn about each other.
  test('tabs that read a test at the same moment record one exposure', { retry: 2 }, async () => {
    const { page, context, site } = suite;
    await page.goto(site.url);
    await read(page);
    const tabs = await Promise.all(Array.from({ length: 4 }, () => context.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(`${site.url}/next`)));
    const at = Date.now() + 1500;
    await Promise.all(
      tabs.map((tab) =>
        tab.evaluate(async (moment) => {
          await sy.ready();
          while (Date.now() < moment);
          for (const key of ['hero', 'layout', 'pricing']) sy.splitTest.get(key, 'fallback');
        }, at),
      ),
    );
    const isSent = (tab: Page) =>
      tab.evaluate(() => !Object.keys(localStorage).some((key) => key.includes(':q:')));
    // The batch is sent after a second, when the browser has told every tab about the others.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await waitFor('the batches are sent', async () => (await Promise.all(tabs.map(isSent))).every(Boolean));
    const [timeline] = await suite.stored();
    expect(timeline!.filter((entry) => entry.startsWith('exposure'))).toHaveLength(3);
  });
});
