import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read } from '../support/browser-suite.ts';
import { pageWithSdk } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

/** Shows a text, and again whenever something changes, as components do. */
const SHOWING = `<button></button><script>
  const show = () => { document.querySelector('button').textContent = sy.splitTest.get('hero', 'fallback'); };
  window.shown = sy.ready().then(show);
  sy.subscribe(show);
</script>`;

const TEXTS = ['Buy', 'Get it'];

const shownText = () =>
  suite.page.evaluate(async () => {
    await (window as unknown as { shown: Promise<void> }).shown;
    return document.querySelector('button')!.textContent;
  });
const definitionsStored = () =>
  suite.page.waitForFunction(() => localStorage['sy:propertyId=shop:config'] !== undefined);
const isHidden = () => getComputedStyle(document.body).opacity === '0';

describe.skipIf(isMissing)('definitions that arrive late, in Chromium', () => {
  test('the page keeps its fallback and records no exposure; the next page has the variation', async () => {
    const { page, server, site } = suite;
    const release = await suite.holdDefinitions();
    const options = { antiFlicker: {} };
    await page.goto(
      site.put('/late', pageWithSdk(server.url, { options, body: SHOWING, isImpatient: true })),
    );
    expect(await shownText()).toBe('fallback');
    expect(await page.evaluate(isHidden)).toBe(false);
    release();
    await definitionsStored();
    await flush(page);
    expect(await shownText()).toBe('fallback');
    expect(await read(page, 'hero', 'layout')).toEqual(['fallback', 'fallback']);
    expect(await page.evaluate(() => sy.splitTest.assignments())).toEqual([]);
    await flush(page);
    expect(await suite.stored()).toEqual([['pageview /late']]);

    await page.reload();
    expect(TEXTS).toContain(await shownText());
    await flush(page);
    expect((await suite.stored())[0]!.filter((entry) => entry.startsWith('exposure'))).toHaveLength(1);
  });

  test('a failed request is as good as a late one', async () => {
    const { page, server, site } = suite;
    let requests = 0;
    await page.route(`${server.url}/v1/split-testing/config*`, (route) =>
      requests++ === 0 ? route.abort() : route.continue(),
    );
    await page.goto(site.put('/failed', pageWithSdk(server.url, { body: SHOWING, isImpatient: true })));
    expect(await shownText()).toBe('fallback');
    await definitionsStored();
    expect(await read(page, 'hero')).toEqual(['fallback']);
    expect(await shownText()).toBe('fallback');
  });

  test('a page may wait longer: ready(timeoutMs)', async () => {
    const { page, server, site } = suite;
    const release = await suite.holdDefinitions();
    const body = SHOWING.replace('ready()', 'ready(600_000)');
    await page.goto(site.put('/patient', pageWithSdk(server.url, { body, isImpatient: true })));
    // Longer than the default.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1500)));
    release();
    expect(TEXTS).toContain(await shownText());
  });

  test('a page may wait for less time: ready(0)', async () => {
    const { page, site } = suite;
    await suite.holdDefinitions();
    await page.goto(site.url);
    const shown = () => sy.ready(0).then(() => sy.splitTest.get('hero', 'fallback'));
    expect(await page.evaluate(shown)).toBe('fallback');
  });

  test('the next view of a single-page app uses them', async () => {
    const { page, server, site } = suite;
    const release = await suite.holdDefinitions();
    await page.goto(site.put('/app', pageWithSdk(server.url, { body: SHOWING, isImpatient: true })));
    expect(await shownText()).toBe('fallback');
    release();
    await definitionsStored();
    expect(await shownText()).toBe('fallback');
    await page.evaluate(() => history.pushState(null, '', '/app/next'));
    expect(TEXTS).toContain(await shownText());
  });
});
