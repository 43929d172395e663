import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, variations, visitor } from '../support/browser-suite.ts';
import { countSessions, pageWithSdk, sessionsOf, sorted, watchRequests } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

const storedIn = async (page: Page, context: BrowserContext) => ({
  cookies: (await context.cookies()).map(({ name }) => name),
  storage: await page.evaluate(() => Object.keys(localStorage)),
});
const NOTHING = { cookies: [], storage: [] };

describe.skipIf(isMissing)('privacy in Chromium', () => {
  test('before consent nothing is stored, requested or recorded', async () => {
    const { page, context, server, site } = suite;
    const requests = watchRequests(page, server.url);
    const sessions = await countSessions(server);
    await page.goto(`${site.url}/elsewhere`);
    // From an earlier page with consent.
    await page.evaluate(() => {
      const batch = { path: '/v1/sessions/collect', body: '{}', triedAt: 0 };
      localStorage.setItem('sy:propertyId=shop:q:1', JSON.stringify(batch));
    });
    await page.goto(site.put('/consent', pageWithSdk(server.url, { options: { consent: 'required' } })));
    expect(await read(page, 'hero')).toEqual(['fallback']);
    await page.evaluate(() => {
      sy.track('dropped');
      sy.identify('u-1');
      sy.setAttributes({ a: 1 });
      sy.page();
      history.pushState({}, '', '/consent?2');
      dispatchEvent(new Event('online'));
      dispatchEvent(new Event('pagehide'));
    });
    await flush(page);
    expect(await page.evaluate(() => [sy.sessionId(), sy.visitorId()])).toEqual([undefined, undefined]);
    expect(await page.evaluate(() => sy.splitTest.assignments())).toEqual([]);
    expect(await storedIn(page, context)).toEqual({ cookies: [], storage: ['sy:propertyId=shop:q:1'] });
    expect(requests).toEqual([]);
    expect(await countSessions(server)).toBe(sessions);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('consent given: the visit starts; withdrawn: all data is removed and nothing more is sent', async () => {
    const { page, context, server, site } = suite;
    await page.goto(site.put('/consent', pageWithSdk(server.url, { options: { consent: 'required' } })));
    const calls = await page.evaluate(() => {
      const changes: string[] = [];
      Object.assign(window, { changes });
      sy.subscribe(() => changes.push(String(sy.splitTest.peek('hero', 'fallback'))));
      sy.setConsent(true);
      return changes.length;
    });
    expect(calls).toBe(1);
    const [shown] = await read(page, 'hero');
    const { hero } = await variations(page);
    await flush(page);
    const id = await visitor(page);
    expect(await suite.stored()).toEqual([[`exposure hero=${hero}`, 'pageview /consent']]);
    const requests = watchRequests(page, server.url);
    const after = await page.evaluate(() => {
      sy.track('in the queue');
      sy.setConsent(false);
      sy.track('dropped');
      return [sy.splitTest.get('hero', 'fallback'), sy.visitorId(), sy.sessionId()];
    });
    expect(after).toEqual(['fallback', undefined, undefined]);
    await flush(page);
    expect(await storedIn(page, context)).toEqual(NOTHING);
    expect(requests).toEqual([]);
    expect((await sessionsOf(server, id)).map(sorted)).toEqual([
      [`exposure hero=${hero}`, 'pageview /consent'],
    ]);
    expect(await page.evaluate(() => (window as unknown as { changes: string[] }).changes)).toEqual([
      'fallback',
      shown,
      'fallback',
    ]);
    // Given again: a new visitor.
    await page.evaluate(() => sy.setConsent(true));
    expect(await visitor(page)).not.toBe(id);
  });

  test('consent withdrawn while requests are in flight: their responses are not stored', async () => {
    const { page, context, server, site } = suite;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`${server.url}/**`, async (route) => {
      await released;
      await route.continue().catch(() => {});
    });
    await page.goto(site.url);
    await page.evaluate(() => {
      Object.assign(window, { sent: sy.flush(), ready: sy.ready() });
      sy.setConsent(false);
    });
    release();
    await page.evaluate(() => {
      const { sent, ready } = window as unknown as { sent: Promise<unknown>; ready: Promise<void> };
      return Promise.all([sent, ready]).then(() => undefined);
    });
    expect(await read(page, 'hero')).toEqual(['fallback']);
    expect(await storedIn(page, context)).toEqual(NOTHING);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('refusing consent on load clears the data of an earlier consent', async () => {
    const { page, context, server, site } = suite;
    await page.goto(site.url);
    await read(page, 'hero');
    await flush(page);
    expect((await storedIn(page, context)).cookies).toHaveLength(2);
    await page.goto(site.put('/consent', pageWithSdk(server.url, { options: { consent: 'required' } })));
    await page.evaluate(() => sy.setConsent(false));
    expect(await storedIn(page, context)).toEqual(NOTHING);
  });

  test('a secret key is rejected with an error, and nothing is sent', async () => {
    const { page, context, server, site } = suite;
    const requests = watchRequests(page, server.url);
    const options = { publicApiKey: 'service_sec_0123456789abcdef' };
    await page.goto(site.put('/secret', pageWithSdk(server.url, { options })));
    expect(suite.consoleMessages.join()).toMatch(/never ship a secret key/);
    expect(await page.evaluate(() => typeof sy)).toBe('undefined');
    expect(requests).toEqual([]);
    expect(await storedIn(page, context)).toEqual(NOTHING);
  });

  test('invalid options: one message and fallbacks, nothing else', async () => {
    const { page, context, server, site } = suite;
    const requests = watchRequests(page, server.url);
    await page.goto(site.put('/invalid', pageWithSdk(server.url, { options: { propertyId: '' } })));
    expect(await read(page, 'hero')).toEqual(['fallback']);
    await page.evaluate(() => {
      sy.setConsent(true);
      sy.track('dropped');
      sy.setConsent(false);
    });
    expect(suite.consoleMessages).toEqual(['[switchyard] check apiUrl, publicApiKey, propertyId']);
    expect(requests).toEqual([]);
    expect(await storedIn(page, context)).toEqual(NOTHING);
    const shown = await page.evaluate(() => {
      const { switchyard } = window as unknown as {
        switchyard: { createSwitchyard(of?: unknown): typeof sy };
      };
      return switchyard.createSwitchyard().splitTest.get('hero', 'fallback');
    });
    expect(shown).toBe('fallback');
  });
});
