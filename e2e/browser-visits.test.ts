import { describe, expect, test } from 'vitest';
import { waitFor } from '../packages/server/src/testing/wait.ts';
import { BrowserSuite, flush, read, variations, visitor } from './support/browser-suite.ts';
import { pageWithSdk, sessionsOf, sorted, VISITED, watchRequests } from './support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

describe.skipIf(isMissing)('visits in Chromium', () => {
  test('first visit: the variation is shown, exposure and page view are stored once', async () => {
    const { page, context, server, site, troubles } = suite;
    await page.goto(`${site.url}/?utm_source=mail&utm_campaign=spring&secret=1#part`);
    const [hero, layout, pricing, nobody, unknown] = await read(
      page,
      'hero',
      'layout',
      'pricing',
      'nobody',
      'unknown',
    );
    const chosen = await variations(page);
    expect(hero).toBe(chosen.hero === 'b' ? 'Get it' : 'Buy');
    expect(layout).toBe(chosen.layout);
    expect(pricing).toEqual({ price: chosen.pricing === 'b' ? 12 : 10 });
    expect([nobody, unknown]).toEqual(['as ever', 'fallback']);
    for (let again = 0; again < 5; again++) await read(page, 'hero', 'nobody');
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
      url: `${site.url}/?utm_source=mail&utm_campaign=spring&secret=1`,
      title: 'Shop',
      properties: { utm_source: 'mail', utm_campaign: 'spring' },
    });
    expect(session!.sessionId).toBe(await page.evaluate(() => sy.sessionId()));
    const cookies = Object.fromEntries((await context.cookies()).map((cookie) => [cookie.name, cookie]));
    expect(cookies.sy_visitor).toMatchObject({ value: session!.visitorId, path: '/', sameSite: 'Lax' });
    expect(cookies.sy_session!.value).toBe(session!.sessionId);
    expect(troubles).toEqual([]);
  });

  test('reload: the same visitor, session and variation, from the cache, with another page view', async () => {
    const { page, server, site, troubles } = suite;
    await page.goto(site.url);
    const [first] = await read(page, 'hero');
    const before = await visitor(page);
    await flush(page);
    const requests = watchRequests(page, server.url);
    await page.reload();
    // Synchronous: the definitions are in storage.
    expect(await page.evaluate(() => sy.splitTest.get('hero', 'fallback'))).toBe(first);
    expect(await visitor(page)).toBe(before);
    await flush(page);
    const { hero } = await variations(page);
    expect(await suite.stored(page)).toEqual([[`exposure hero=${hero}`, 'pageview /', 'pageview /']]);
    expect(requests).toEqual(['POST /v1/sessions/collect']);
    expect(troubles).toEqual([]);
  });

  test('second tab: shares visitor, session and exposures', async () => {
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

  test('navigation in a single-page app: a page view whenever path or query changes', async () => {
    const { page, server, site } = suite;
    await page.goto(site.url);
    await page.evaluate(async () => {
      history.pushState({}, '', '/a');
      document.title = 'A';
      history.replaceState({}, '', '/a');
      history.replaceState({}, '', '/a#part');
      history.pushState({}, '', '/a?page=2');
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
      ['/a?page=2', 'A 2'],
      ['/a?page=2', 'A 2'],
      ['/b', 'B'],
    ]);
    const toB = session!.timeline.find(({ url }) => url!.endsWith('/b'))!;
    expect(toB.referrer).toBe(`${site.url}/a?page=2`);
  });

  test('an address with a campaign of any length: cut, and nothing of the batch is lost', async () => {
    const { page, server, site } = suite;
    await page.goto(`${site.url}/?utm_source=${'s'.repeat(9000)}&utm_medium=mail&other=1`);
    await page.evaluate(() => sy.track('clicked'));
    await flush(page);
    const [session] = await sessionsOf(server, await visitor(page));
    expect(sorted(session)).toEqual(['event clicked', 'pageview /']);
    const { properties } = session!.timeline.find(({ type }) => type === 'pageview')!;
    expect(properties).toEqual({ utm_source: 's'.repeat(256), utm_medium: 'mail' });
  });

  test('back and forward through the cache of the browser: a page view, nothing else twice', async () => {
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

  test('events, traits and attributes reach the session', async () => {
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

  test('30 minutes without activity: another session, whose exposures count anew', async () => {
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
    // A tab that was asleep meanwhile finds the new session.
    const second = await context.newPage();
    await second.goto(`${site.url}/next`);
    await flush(second);
    expect(await suite.stored(second)).toHaveLength(2);
  });

  test('back on a subdomain after a long time on another: still the same session', async () => {
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

  test('two properties on one origin: one visitor, nothing mixed', async () => {
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
    // Written by a page that is gone: its last batch may still be on the way.
    await page.goto(site.url);
    await flush(page);
    expect((await sessionsOf(server, id, 'garden')).map(sorted)).toEqual([
      [`exposure hero=${hero}`, 'pageview /garden'],
    ]);
    expect((await sessionsOf(server, id, 'shop')).map(sorted)).toEqual([
      [`exposure hero=${inShop.hero}`, 'pageview /', 'pageview /'],
    ]);
  });

  test('destroy: sends what is left and puts everything back', async () => {
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

  test('the small entry: exposures of a session that is tied to its visitor, and no page views', async () => {
    const { page, server, site } = suite;
    const options = JSON.stringify({
      apiUrl: server.url,
      publicApiKey: VISITED.properties[0]!.apiKeys[0]!.key,
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
