import { waitFor } from '@switchyard/testing/time/wait';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, visitor } from '../support/browser-suite.ts';
import { countSessions, pageWithSdk, sessionsOf, sorted, watchRequests } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

/** A page that waits for consent, with more options. */
const consentPage = (options: object = {}, more: { before?: string; body?: string } = {}) =>
  suite.site.put(
    '/consent',
    pageWithSdk(suite.server.url, { options: { consent: 'required', ...options }, ...more }),
  );

const storedIn = async (page: Page, context: BrowserContext) => ({
  cookies: (await context.cookies()).map(({ name }) => name),
  storage: await page.evaluate(() => Object.keys(localStorage)),
});
const NOTHING = { cookies: [], storage: [] };

const hasIds = (page: Page) => page.evaluate(() => sy.visitorId() !== undefined);

/** Turns a privacy signal on for all pages that are opened from now on. */
const turnOn = (context: BrowserContext, [property, value]: [string, unknown]) =>
  context.addInitScript(
    ([name, of]) => Object.defineProperty(navigator, name as string, { configurable: true, get: () => of }),
    [property, value],
  );

const SIGNALS: [string, [string, unknown]][] = [
  ['Do Not Track', ['doNotTrack', '1']],
  ['Global Privacy Control', ['globalPrivacyControl', true]],
];

describe.skipIf(isMissing)('consent in several tabs', () => {
  test('withdrawn in one tab: the others stop at once, and nothing is sent with the old id', async () => {
    const { page, context, server } = suite;
    const url = consentPage();
    await page.goto(url);
    await page.evaluate(() => sy.setConsent(true));
    await read(page, 'hero');
    await flush(page);
    const id = await visitor(page);
    const before = (await sessionsOf(server, id)).map(sorted);
    const others = [await context.newPage(), await context.newPage()];
    for (const other of others) {
      // Before the page has timers of its own, which would run while the clock stands still.
      await other.clock.install();
      await other.goto(url);
      await other.evaluate(() => sy.setConsent(true));
      await flush(other);
    }
    const stored = await waitFor('the page views of both tabs', async () => {
      const found = (await sessionsOf(server, id)).map(sorted);
      return found[0]!.length === before[0]!.length + 2 && found;
    });
    // So that a slow machine does not send the next events before consent is withdrawn.
    for (const other of others) await other.clock.pauseAt(Date.now() + 60_000);
    const requests = watchRequests(context, server.url);
    for (const other of others) await other.evaluate(() => sy.track('not sent yet'));
    await page.evaluate(() => sy.setConsent(false));
    for (const other of others) {
      await waitFor('the other tab stops', async () => !(await hasIds(other)));
      expect(await read(other, 'hero')).toEqual(['fallback']);
      await other.evaluate(() => {
        sy.track('dropped');
        history.pushState({}, '', '/consent?2');
      });
      await flush(other);
    }
    expect(requests).toEqual([]);
    expect((await sessionsOf(server, id)).map(sorted)).toEqual(stored);
    expect(await storedIn(page, context)).toEqual(NOTHING);
  });

  test('given in one tab: the others start, with the same visitor', async () => {
    const { page, context, server } = suite;
    const url = consentPage();
    await page.goto(url);
    const other = await context.newPage();
    await other.goto(url);
    const changes = await other.evaluateHandle(() => {
      const seen: unknown[] = [];
      sy.subscribe(() => seen.push(sy.visitorId() !== undefined));
      return seen;
    });
    await page.evaluate(() => sy.setConsent(true));
    await waitFor('the other tab starts', () => hasIds(other));
    expect(await visitor(other)).toBe(await visitor(page));
    expect((await changes.jsonValue())[0]).toBe(true);
    expect(await read(other, 'hero')).not.toEqual(['fallback']);
    await Promise.all([flush(page), flush(other)]);
    const [session] = await sessionsOf(server, await visitor(page));
    expect(session!.pageviews).toBe(2);
    // A decision for one property says nothing about another one.
    const garden = await context.newPage();
    const gardenUrl = suite.site.put(
      '/garden',
      pageWithSdk(server.url, { property: 'garden', options: { consent: 'required' } }),
    );
    await garden.goto(gardenUrl);
    await page.evaluate(() => {
      sy.setConsent(false);
      sy.setConsent(true);
    });
    await waitFor('the other tab has a new visitor', async () => await hasIds(other));
    expect(await hasIds(garden)).toBe(false);
  });

  test('another client in the same page follows', async () => {
    const { page } = suite;
    await page.goto(consentPage());
    const states = await page.evaluate(() => {
      const { switchyard, options } = window as unknown as {
        switchyard: { createSwitchyard(of: unknown): typeof sy };
        options: unknown;
      };
      const second = switchyard.createSwitchyard(options);
      const running = () => [sy.visitorId() !== undefined, second.visitorId() !== undefined];
      const seen = [running()];
      second.setConsent(true);
      seen.push(running());
      sy.setConsent(false);
      seen.push(running());
      return seen;
    });
    expect(states).toEqual([
      [false, false],
      [true, true],
      [false, false],
    ]);
  });

  test('withdrawn while a page is in the back/forward cache: it stays off when it comes back', async () => {
    const { page, context, server, site } = suite;
    await page.goto(site.url);
    await read(page, 'hero');
    await flush(page);
    // What another page does meanwhile; a page in the cache gets no events.
    await context.clearCookies();
    await page.evaluate(() => localStorage.clear());
    const requests = watchRequests(page, server.url);
    await page.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
      sy.track('dropped');
    });
    await flush(page);
    expect(await hasIds(page)).toBe(false);
    expect(await read(page, 'hero')).toEqual(['fallback']);
    expect(requests).toEqual([]);
    expect(await storedIn(page, context)).toEqual(NOTHING);
  });
});

describe.skipIf(isMissing)('privacy signals', () => {
  test.each(SIGNALS)(
    '%s: six loads show the fallback, store nothing and send nothing',
    async (_name, signal) => {
      const { page, context, server, site } = suite;
      await page.goto(site.url);
      await read(page, 'hero');
      await flush(page);
      expect((await storedIn(page, context)).cookies).toHaveLength(2);
      await turnOn(context, signal);
      const sessions = await countSessions(server);
      const requests = watchRequests(context, server.url);
      const shown = new Set<unknown>();
      for (let load = 0; load < 6; load++) {
        await page.goto(site.url);
        for (const value of await read(page, 'hero')) shown.add(value);
        await page.evaluate(() => {
          sy.track('dropped');
          sy.identify('u-1');
          // The signal wins.
          sy.setConsent(true);
        });
        expect(await read(page, 'hero')).toEqual(['fallback']);
        await flush(page);
        expect(await hasIds(page)).toBe(false);
      }
      expect([...shown]).toEqual(['fallback']);
      expect(await storedIn(page, context)).toEqual(NOTHING);
      expect(requests).toEqual([]);
      expect(await countSessions(server)).toBe(sessions);
      expect(suite.consoleMessages).toEqual([]);
    },
  );

  test('with respectPrivacySignals: false, only an explicit decision starts the visit', async () => {
    const { page, context, server, site } = suite;
    await turnOn(context, ['globalPrivacyControl', true]);
    const options = { respectPrivacySignals: false };
    await page.goto(site.put('/asks', pageWithSdk(server.url, { options })));
    expect(await read(page, 'hero')).toEqual(['fallback']);
    expect(await storedIn(page, context)).toEqual(NOTHING);
    await page.evaluate(() => sy.setConsent(true));
    expect(await read(page, 'hero')).not.toEqual(['fallback']);
    await flush(page);
    const id = await visitor(page);
    await page.reload();
    await page.evaluate(() => sy.setConsent(true));
    expect(await visitor(page)).toBe(id);
  });
});

describe.skipIf(isMissing)('queueBeforeConsent', () => {
  const queue = () => consentPage({ queueBeforeConsent: true });
  const browse = (page: Page) =>
    page.evaluate(() => {
      sy.track('before');
      history.pushState({}, '', '/consent/second');
      sy.identify('u-7');
    });

  test('events before consent are recorded with their times once it is given', async () => {
    const { page, context, server } = suite;
    const requests = watchRequests(page, server.url);
    await page.goto(queue());
    await browse(page);
    await flush(page);
    expect(requests).toEqual([]);
    expect(await storedIn(page, context)).toEqual(NOTHING);
    const decidedAt = await page.evaluate(() => {
      const at = Date.now();
      while (Date.now() === at);
      sy.setConsent(true);
      sy.track('after');
      return Date.now();
    });
    await flush(page);
    const [session, ...others] = await sessionsOf(server, await visitor(page));
    expect(others).toEqual([]);
    expect(session!.userId).toBe('u-7');
    expect(sorted(session)).toEqual([
      'event after',
      'event before',
      'identify',
      'pageview /consent',
      'pageview /consent/second',
    ]);
    const view = session!.timeline.find(({ type }) => type === 'pageview') as unknown as { at: number };
    expect(view.at).toBeLessThan(decidedAt);
  });

  test('refused, or the page ends: they are dropped', async () => {
    const { page, server } = suite;
    const requests = watchRequests(page, server.url);
    await page.goto(queue());
    await browse(page);
    await page.evaluate(() => sy.setConsent(false));
    await page.goto(queue());
    await browse(page);
    await page.goto(`${suite.site.url}/elsewhere`);
    expect(requests).toEqual([]);
    await page.goto(queue());
    await page.evaluate(() => {
      sy.track('refused');
      sy.setConsent(false);
      sy.setConsent(true);
    });
    await flush(page);
    expect(await suite.stored()).toEqual([['pageview /consent']]);
  });

  test('at most 100 events are kept; without the option, none', async () => {
    const { page, server } = suite;
    const trackMany = () =>
      page.evaluate(() => {
        for (let i = 0; i < 250; i++) sy.track(`event ${i}`);
        sy.setConsent(true);
      });
    await page.goto(queue());
    await trackMany();
    await flush(page);
    const [session] = await sessionsOf(server, await visitor(page));
    expect(session!.timeline).toHaveLength(100);
    await page.evaluate(() => sy.setConsent(false));
    await page.goto(consentPage());
    await trackMany();
    await flush(page);
    expect(await suite.stored()).toEqual([['pageview /consent']]);
  });
});
