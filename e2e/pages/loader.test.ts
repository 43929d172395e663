import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { afterAll, describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, visitor } from '../support/browser-suite.ts';
import { builtScript } from '../support/site.ts';
import { sessionsOf, sorted } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

const LOADER = builtScript('sdk-loader.js');
const TEXTS = ['Buy', 'Get it'];

// Accepts requests and never answers them.
const silent = createServer(() => {}).listen(0, '127.0.0.1');
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});
const silentUrl = () => `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;

/** A page as in the guide, with everything that a page may call at once. */
function page({ sdk = `${suite.server.url}/sdk.js`, options = {}, isImpatient = true } = {}): string {
  const all = { apiUrl: suite.server.url, publicApiKey: PUBLIC_KEY, propertyId: 'shop', ...options };
  return `<!doctype html><title>Shop</title><script data-sdk="${sdk}">${LOADER}</script>
<script>
  window.sy = switchyard.createSwitchyard(${JSON.stringify(all)});
  ${isImpatient ? '' : 'sy.ready(600_000);'}
  sy.track('queued', { number: 1 });
  sy.setAttributes({ plan: 'trial' });
  window.ended = 0;
  sy.subscribe(() => window.ended++)();
</script>
<button>Buy</button>
<script>
  const show = () => { document.querySelector('button').textContent = sy.splitTest.get('hero', 'fallback'); };
  window.shown = sy.ready().then(show);
  sy.subscribe(show);
</script>`;
}

const shownText = () =>
  suite.page.evaluate(async () => {
    await (window as unknown as { shown: Promise<void> }).shown;
    return document.querySelector('button')!.textContent;
  });
const isHidden = () =>
  suite.page.evaluate(() => getComputedStyle(document.querySelector('button')!).opacity === '0');
const arrived = () => suite.page.waitForFunction(() => sy.visitorId() !== undefined);

describe.skipIf(isMissing)('the loader in Chromium', () => {
  test('has at most 700 bytes', () => {
    expect(Buffer.byteLength(LOADER)).toBeLessThanOrEqual(700);
  });

  test.each([
    { what: 'a server that never answers', address: () => `${silentUrl()}/sdk.js` },
    { what: 'a script that does not exist', address: () => '/nothing.js' },
  ])('$what: the page is loaded, and shows its fallback without errors', async ({ address }) => {
    const { page: tab, site } = suite;
    const options = { antiFlicker: { selector: 'button' } };
    // Resolves after DOMContentLoaded and load.
    await tab.goto(site.put('/loaded', page({ sdk: address(), options })));
    expect(await shownText()).toBe('fallback');
    expect(await isHidden()).toBe(false);
    await flush(tab);
    const results = await tab.evaluate(() => [
      sy.splitTest.peek('hero', 'peeked'),
      sy.splitTest.assignments(),
      sy.sessionId() ?? 'none',
    ]);
    expect(results).toEqual(['peeked', [], 'none']);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('a script in time: the page shows its variation, and every call counts once', async () => {
    const { page: tab, site } = suite;
    const options = { antiFlicker: { timeoutMs: 600_000, selector: 'button' } };
    await tab.goto(site.put('/loaded', page({ options, isImpatient: false })));
    await arrived();
    expect(TEXTS).toContain(await shownText());
    expect(await isHidden()).toBe(false);
    await tab.evaluate(() => sy.track('later'));
    await flush(tab);
    const [session] = await sessionsOf(suite.server, await visitor(tab));
    expect(sorted(session)).toEqual([
      'event later',
      'event queued',
      expect.stringMatching(/^exposure hero=/),
      'pageview /loaded',
    ]);
    expect(session!.attributes).toEqual({ plan: 'trial' });
    expect(await tab.evaluate(() => (window as unknown as { ended: number }).ended)).toBe(0);
    expect(suite.consoleMessages).toEqual([]);
  });

  test('a script that is late: the page keeps its fallback, and every queued call counts once', async () => {
    const { page: tab, server, site } = suite;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await tab.route(`${server.url}/sdk.js`, async (route) => {
      await released;
      await route.continue();
    });
    // Definitions of an earlier page must not be used either.
    await tab.goto(site.url);
    await read(tab, 'layout');
    await flush(tab);
    const id = await visitor(tab);
    await tab.goto(site.put('/loaded', page()));
    // A function that was taken from the stub works after the script has arrived.
    await tab.evaluate(() => {
      Object.assign(window, { track: sy.track });
    });
    expect(await shownText()).toBe('fallback');
    release();
    await arrived();
    expect(await shownText()).toBe('fallback');
    expect(await read(tab, 'hero')).toEqual(['fallback']);
    await tab.evaluate(() => (window as unknown as { track: (name: string) => void }).track('later'));
    await flush(tab);
    expect(await visitor(tab)).toBe(id);
    const [session] = await sessionsOf(server, id);
    const events = sorted(session).filter((entry) => !/pageview \/$|exposure layout/.test(entry));
    expect(events).toEqual(['event later', 'event queued', 'pageview /loaded']);
    expect(suite.consoleMessages).toEqual([]);
  });
});
