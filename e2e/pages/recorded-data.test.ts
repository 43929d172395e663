import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, visitor } from '../support/browser-suite.ts';
import { pageWithSdk, sessionsOf } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

/** Everything that the page sends to the service. */
function watchBodies(): string[] {
  const bodies: string[] = [];
  suite.page.on('request', (request) => {
    if (request.url().startsWith(suite.server.url)) bodies.push(request.url(), request.postData() ?? '');
  });
  return bodies;
}

describe.skipIf(isMissing)('URLs in Chromium', () => {
  test('parameters that are not recorded never leave the page', async () => {
    const { page, site, server } = suite;
    const bodies = watchBodies();
    await page.goto(`${site.url}/elsewhere?secret=one`);
    const target = '/?utm_source=mail&gclid=abc&secret=two#secret=three';
    await page.evaluate((url) => location.assign(url), target);
    await page.waitForFunction(() => 'sy' in window);
    await page.evaluate(() => {
      sy.track('added', { sku: 'a-1' });
      history.pushState({}, '', '/next?secret=four&ref=top&sy_hero=b');
    });
    await flush(page);
    expect(bodies.join()).not.toContain('secret');
    const [session] = await sessionsOf(server, await visitor(page));
    const urls = session!.timeline.flatMap(({ type, url, referrer }) => [{ type, url, referrer }]);
    const first = `${site.url}/?utm_source=mail&gclid=1`;
    expect(urls).toEqual([
      { type: 'pageview', url: first, referrer: `${site.url}/elsewhere` },
      { type: 'event', url: first, referrer: undefined },
      { type: 'pageview', url: `${site.url}/next?ref=top&sy_hero=b`, referrer: first },
    ]);
  });

  test('the page sends parameters that it allows', async () => {
    const { page, site, server } = suite;
    site.put('/allowing', pageWithSdk(server.url, { options: { allowedParameters: ['page'] } }));
    const bodies = watchBodies();
    await page.goto(`${site.url}/allowing?page=2&other=3`);
    await flush(page);
    expect(bodies.join()).toContain('/allowing?page=2"');
  });
});

const MONTHS_13 = 395 * 24 * 60 * 60;

/** A page with the client for pages that record less. */
function putPrivatePage(options: object): void {
  const { site, server } = suite;
  const page = pageWithSdk(server.url, { options });
  site.put('/private', page.replace('src="/sdk.js"', `src="${server.url}/sdk-private.js"`));
}

const storedOnDevice = async () => ({
  cookies: await suite.context.cookies(),
  storage: await suite.page.evaluate(() => Object.keys(localStorage)),
});

describe.skipIf(isMissing)('the entry for private pages in Chromium', () => {
  test('cnil: the visitor cookie is set once, and no user id is sent', async () => {
    const { page, site, context } = suite;
    putPrivatePage({ preset: 'cnil' });
    const bodies = watchBodies();
    await page.goto(`${site.url}/private`);
    await page.evaluate(() => sy.identify('user-of-the-shop', { plan: 'gold' }));
    await flush(page);
    expect(bodies.join()).toContain('/private');
    expect(bodies.join()).not.toMatch(/user-of-the-shop|gold/);
    const cookie = async () => (await context.cookies()).find(({ name }) => name === 'sy_visitor')!;
    const first = await cookie();
    const lifetime = first.expires - Date.now() / 1000;
    expect(Math.abs(lifetime - MONTHS_13)).toBeLessThan(3600);
    expect(await page.evaluate(() => localStorage.sy_visitor)).toBeUndefined();
    await page.reload();
    await flush(page);
    expect(await cookie()).toEqual(first);
    expect(await visitor(page)).toBe(first.value);
  });

  test('secrets in paths and titles do not leave the page', async () => {
    const { page, site } = suite;
    putPrivatePage({});
    const bodies = watchBodies();
    await page.goto(`${site.url}/private`);
    await page.evaluate(() => {
      document.title = 'Orders of ada@shop.example';
      history.pushState({}, '', '/u/ada@shop.example');
      sy.track('opened', { contact: 'ada@shop.example' });
    });
    await flush(page);
    expect(bodies.join()).toContain('Orders of [email]');
    expect(bodies.join()).not.toContain('ada@');
  });

  test('identity "view": nothing is stored, and each load is a visitor of its own', async () => {
    const { page, site } = suite;
    putPrivatePage({ identity: 'view' });
    await page.goto(`${site.url}/private`);
    const first = await visitor(page);
    expect(first).toMatch(/^cookieless-/);
    await flush(page);
    expect(await storedOnDevice()).toEqual({ cookies: [], storage: [] });
    await page.reload();
    expect(await visitor(page)).not.toBe(first);
  });

  test('identity "day": the same visitor and variation on every page, and nothing is stored', async () => {
    const { page, site, server, consoleMessages } = suite;
    putPrivatePage({ identity: 'day' });
    const bodies = watchBodies();
    const seen: unknown[] = [];
    for (let load = 0; load < 2; load++) {
      await page.goto(`${site.url}/private`);
      await page.evaluate(() => sy.track('too early'));
      const [hero] = await read(page, 'hero');
      seen.push([hero, await visitor(page)]);
      await flush(page);
      expect(await storedOnDevice()).toEqual({ cookies: [], storage: [] });
    }
    expect(consoleMessages).toEqual([]);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]).toEqual([expect.stringMatching(/^(Buy|Get it)$/), expect.stringMatching(/^cookieless-/)]);
    expect(bodies.join()).toContain('too early');
    const { body } = await server.send('GET', '/v1/sessions?propertyId=shop', { key: SECRET_KEY });
    expect(JSON.stringify(body)).not.toContain('cookieless-');
  });
});
