import { waitFor } from '@switchyard/testing/time/wait';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, variations, visitor } from '../support/browser-suite.ts';
import { pageWithSdk, sessionsOf, sorted, VISITS_PROVISION, watchRequests } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

describe.skipIf(isMissing)('visits in Chromium', () => {
  test('first visit: the variation is shown; exposure and page view are stored once', async () => {
    const { page, context, server, site, consoleMessages } = suite;
    await page.goto(`${site.url}/?utm_source=mail&utm_campaign=spring&secret=1#part`);
    const [hero, layout, pricing, noTraffic, unknown] = await read(
      page,
      'hero',
      'layout',
      'pricing',
      'no-traffic',
      'unknown',
    );
    const chosen = await variations(page);
    expect(hero).toBe(chosen.hero === 'b' ? 'Get it' : 'Buy');
    expect(layout).toBe(chosen.layout);
    expect(pricing).toEqual({ price: chosen.pricing === 'b' ? 12 : 10 });
    expect([noTraffic, unknown]).toEqual(['unchanged', 'fallback']);
    for (let again = 0; again < 5; again++) await read(page, 'hero', 'no-traffic');
    await page.evaluate(() => sy.splitTest.peek('layout', ''));
    await flush(page);
    const [session, ...others] = await sessionsOf(server, await visitor(page));
    expect(others).toEqual([]);
    expect(sorted(session)).toEqual(
      [
        `exposure hero=${chosen.hero}`,
        `exposure layout=${chosen.layout}`,
        `exposure pricing=${chosen.pricing}`,
        'pageview /',
      ].sort(),
    );
    const view = session!.timeline.find(({ type }) => type === 'pageview')!;
    expect(view).toMatchObject({
      url: `${site.url}/?utm_source=mail&utm_campaign=spring`,
      title: 'Shop',
      properties: { utm_source: 'mail', utm_campaign: 'spring' },
    });
    expect(session!.sessionId).toBe(await page.evaluate(() => sy.sessionId()));
    const cookies = Object.fromEntries((await context.cookies()).map((cookie) => [cookie.name, cookie]));
    expect(cookies.sy_visitor).toMatchObject({ value: session!.visitorId, path: '/', sameSite: 'Lax' });
    expect(cookies.sy_session!.value).toBe(session!.sessionId);
    expect(consoleMessages).toEqual(['[switchyard] split test is not running or does not exist: unknown']);
  });

  test('reload: the same visitor, session and cached variation, with another page view', async () => {
    const { page, server, site, consoleMessages } = suite;
    await page.goto(site.url);
    const [first] = await read(page, 'hero');
    const before = await visitor(page);
    await flush(page);
    const requests = watchRequests(page, server.url);
    await page.reload();
    // Without waiting: the definitions are in storage.
    expect(await page.evaluate(() => sy.splitTest.get('hero', 'fallback'))).toBe(first);
    expect(await visitor(page)).toBe(before);
    await flush(page);
    const { hero } = await variations(page);
    expect(await suite.stored(page)).toEqual([[`exposure hero=${hero}`, 'pageview /', 'pageview /']]);
    expect(requests).toEqual(['POST /v1/sessions/collect']);
    expect(consoleMessages).toEqual([]);
  });

  test('a second tab shares visitor, session and exposures', async () => {
    const { page, context, site } = suite;
    await page.goto(site.url);
    await read(page, 'hero');
    const second = await context.newPage();
    await second.goto(`${site.url}/next`);
    await read(second, 'hero', 'layout');
    await Promise.all([flush(page), flush(second)]);
    expect(await visitor(second)).toBe(await visitor(page));
    const { hero, layout } = await variations(page);
    expect(await suite.stored(page)).toEqual([
      [`exposure hero=${hero}`, `exposure layout=${layout}`, 'pageview /', 'pageview /next'],
    ]);
  });

  test('navigation in a single-page app: a page view for each change of path or query', async () => {
    const { page, server, site } = suite;
    await page.goto(site.url);
    await page.evaluate(async () => {
      history.pushState({}, '', '/a');
      document.title = 'A';
      history.replaceState({}, '', '/a');
      history.replaceState({}, '', '/a#part');
      history.pushState({}, '', '/a?ref=2');
      document.title = 'A 2';
      history.pushState({}, '', '/b');
      document.title = 'B';
      const back = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
      history.back();
      await back;
      document.title = 'A 2';
    });
    await flush(page);
    const [session] = await sessionsOf(server, await visitor(page));
    const views = session!.timeline.map(({ url, title }) => [url!.slice(site.url.length), title]);
    expect(views.sort()).toEqual([
      ['/', 'Shop'],
      ['/a', 'A'],
      ['/a?ref=2', 'A 2'],
      ['/a?ref=2', 'A 2'],
      ['/b', 'B'],
    ]);
    const toB = session!.timeline.find(({ url }) => url!.endsWith('/b'))!;
    expect(toB.referrer).toBe(`${site.url}/a?ref=2`);
  });

  test('long campaign parameters are truncated, and the batch is not lost', async () => {
    const { page, server, site } = suite;
    await page.goto(`${site.url}/?utm_source=${'s'.repeat(9000)}&utm_medium=mail&other=1`);
    await page.evaluate(() => sy.track('clicked'));
    await flush(page);
    const [session] = await sessionsOf(server, await visitor(page));
    expect(sorted(session)).toEqual(['event clicked', 'pageview /']);
    const { properties } = session!.timeline.find(({ type }) => type === 'pageview')!;
    expect(properties).toEqual({ utm_source: 's'.repeat(256), utm_medium: 'mail' });
  });

  test('the back/forward cache: another page view, nothing else is duplicated', async () => {
    const { page, site } = suite;
    await page.goto(site.url);
    await read(page, 'hero');
    const { hero } = await variations(page);
    await page.goto(`${site.url}/elsewhere`);
    await page.goBack();
    await page.waitForFunction(() => typeof sy !== 'undefined');
    await read(page, 'hero');
    await flush(page);
    expect(await suite.stored(page)).toEqual([[`exposure hero=${hero}`, 'pageview /', 'pageview /']]);
  });

  test('events, traits and attributes are stored in the session', async () => {
    const { page, server, site } = suite;
    await page.goto(site.url);
    await page.evaluate(() => {
      sy.setAttributes({ plan: 'trial' });
      sy.setAttributes({ country: 'NL' });
      sy.track('added to cart', { sku: 'a-1' });
      sy.identify('u-42', { name: 'Ada' });
    });
    await read(page, 'hero');
    await flush(page);
    const [session] = await sessionsOf(server, await visitor(page));
    expect(session).toMatchObject({ userId: 'u-42', attributes: { plan: 'trial', country: 'NL' } });
    const entry = (type: string) => session!.timeline.find((it) => it.type === type)!;
    expect(entry('event')).toMatchObject({ name: 'added to cart', properties: { sku: 'a-1' } });
    expect(entry('identify')).toMatchObject({ properties: { name: 'Ada' } });
    expect(entry('exposure').attributes).toEqual({ plan: 'trial', country: 'NL' });
  });

  test('30 minutes without activity: a new session with new exposures', async () => {
    const { page, context, site } = suite;
    await page.clock.install();
    await page.goto(site.url);
    const [first] = await read(page, 'hero');
    const { hero } = await variations(page);
    await flush(page);
    await page.clock.fastForward('29:00');
    await read(page, 'hero');
    await flush(page);
    expect(await suite.stored(page)).toHaveLength(1);
    await page.clock.fastForward('31:00');
    expect(await read(page, 'hero')).toEqual([first]);
    await page.evaluate(() => sy.track('back'));
    await flush(page);
    expect(await suite.stored(page)).toEqual([
      [`exposure hero=${hero}`, 'pageview /'],
      ['event back', `exposure hero=${hero}`],
    ]);
    // A second tab joins the new session.
    const second = await context.newPage();
    await second.goto(`${site.url}/next`);
    await flush(second);
    expect(await suite.stored(second)).toHaveLength(2);
  });

  test('subdomains share the session, even after a long time on one of them', async () => {
    const { page, server, site } = suite;
    site.put('/shared', pageWithSdk(server.url, { options: { cookieDomain: 'shop.localhost' } }));
    const at = (name: string) => `${site.url.replace('localhost', `${name}.shop.localhost`)}/shared`;
    await page.clock.install();
    const sessions: unknown[] = [];
    for (const name of ['www', 'checkout', 'checkout', 'www']) {
      await page.goto(at(name));
      await flush(page);
      sessions.push(await page.evaluate(() => sy.sessionId()));
      await page.clock.fastForward('20:00');
    }
    expect(new Set(sessions).size).toBe(1);
    expect(await suite.stored(page)).toEqual([Array(4).fill('pageview /shared')]);
  });

  test('two properties on one origin share the visitor, but no data', async () => {
    const { page, server, site } = suite;
    const garden = site.put('/garden', pageWithSdk(server.url, { property: 'garden' }));
    await page.goto(site.url);
    await read(page, 'hero');
    const inShop = await variations(page);
    await page.goto(garden);
    const [shown] = await read(page, 'hero');
    const { hero } = await variations(page);
    expect(shown).toBe(hero === 'b' ? 'Plant' : 'Dig');
    await flush(page);
    const id = await visitor(page);
    // The last batch of the previous page may still be in flight.
    await page.goto(site.url);
    await flush(page);
    expect((await sessionsOf(server, id, 'garden')).map(sorted)).toEqual([
      [`exposure hero=${hero}`, 'pageview /garden'],
    ]);
    expect((await sessionsOf(server, id, 'shop')).map(sorted)).toEqual([
      [`exposure hero=${inShop.hero}`, 'pageview /', 'pageview /'],
    ]);
  });

  test('destroy sends pending events and restores patched functions', async () => {
    const { page, server, site } = suite;
    await page.goto(site.url);
    await read(page, 'hero');
    const { hero } = await variations(page);
    const id = await visitor(page);
    const isNative = await page.evaluate(() => {
      sy.destroy();
      history.pushState({}, '', '/after');
      return /native/.test(String(history.pushState)) && sy.splitTest.get('hero', 'fallback') === 'fallback';
    });
    expect(isNative).toBe(true);
    await waitFor('the last batch', async () => (await sessionsOf(server, id))[0]?.timeline.length === 2);
    expect((await sessionsOf(server, id)).map(sorted)).toEqual([[`exposure hero=${hero}`, 'pageview /']]);
  });

  test('the split-testing entry records exposures with session and visitor, but no page views', async () => {
    const { page, server, site } = suite;
    const options = JSON.stringify({
      apiUrl: server.url,
      publicApiKey: VISITS_PROVISION.properties[0]!.apiKeys[0]!.key,
      propertyId: 'shop',
    });
    site.put(
      '/small',
      `<!doctype html><script type="module">import { createSplitTesting } from '/split-testing.mjs';
       window.sy = createSplitTesting(${options});</script>`,
    );
    await page.goto(`${site.url}/small`);
    await page.waitForFunction(() => typeof sy !== 'undefined');
    await read(page, 'hero');
    await flush(page);
    await page.reload();
    await page.waitForFunction(() => typeof sy !== 'undefined');
    await read(page, 'hero', 'layout');
    await flush(page);
    const { hero, layout } = await variations(page);
    expect(await suite.stored(page)).toEqual([[`exposure hero=${hero}`, `exposure layout=${layout}`]]);
    expect(await page.evaluate(() => 'track' in sy || 'page' in sy)).toBe(false);
  });
});
