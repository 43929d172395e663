import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { waitFor } from '@switchyard/testing/time/wait';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, variations, visitor } from '../support/browser-suite.ts';
import { sessionsOf } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

/** The number of preflights that the service has answered. */
async function preflights(): Promise<number> {
  const text = await (await fetch(`${suite.server.url}/metrics`)).text();
  const counts = text.matchAll(
    /^switchyard_http_request_duration_seconds_count\{method="OPTIONS".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe.skipIf(isMissing)('requests of a page on another origin, in Chromium', () => {
  test('there are no preflights', async () => {
    const { page, site } = suite;
    await page.goto(site.url);
    await read(page, 'hero');
    const { hero } = await variations(page);
    await page.evaluate(() => sy.track('click'));
    await flush(page);
    expect(await suite.stored()).toEqual([['event click', `exposure hero=${hero}`, 'pageview /']]);
    expect(await preflights()).toBe(0);
    // A request with a header has one, so they are counted.
    const address = `${suite.server.url}/v1/split-testing/config?propertyId=shop&fresh`;
    const status = await page.evaluate(
      async ([url, key]) => (await fetch(url!, { headers: { 'x-api-key': key! } })).status,
      [address, PUBLIC_KEY],
    );
    expect([status, await preflights()]).toEqual([200, 1]);
  });

  test('a beacon records an exposure', async () => {
    const { page, server, site } = suite;
    await page.goto(site.url);
    const id = await visitor(page);
    await flush(page);
    const isQueued = await page.evaluate(
      ([url, apiKey]) => {
        const exposure = { splitTestKey: 'hero', variationKey: 'b', sessionId: sy.sessionId() };
        const body = { propertyId: 'shop', apiKey, exposures: [exposure] };
        return navigator.sendBeacon(`${url}/v1/split-testing/expose`, JSON.stringify(body));
      },
      [server.url, PUBLIC_KEY],
    );
    expect(isQueued).toBe(true);
    await waitFor('the exposure', async () =>
      (await sessionsOf(server, id))[0]?.timeline.some(({ type }) => type === 'exposure'),
    );
    expect(suite.consoleMessages).toEqual([]);
  });
});
