import { readFileSync } from 'node:fs';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { condition, targetedTest } from '@switchyard/testing/fixtures/targeted-test';
import { describe, expect, test } from 'vitest';
import type { OpenAudiences } from '../../packages/sdk/src/client/audiences.ts';
import type { SplitTestDefinition } from '../../packages/sdk/src/client/split-tests.ts';
import { BrowserSuite, flush, read } from '../support/browser-suite.ts';
import { pageWithSdk, VISITS_PROVISION, watchRequests } from '../support/visits.ts';

const TESTS = [
  targetedTest('plan', condition('plan', 'in', 'pro')),
  targetedTest('path', condition('path', 'startsWith', '/pricing')),
  targetedTest('query', condition('query.coupon', 'equals', 'SPRING')),
  targetedTest('campaign', condition('utm.source', 'equals', 'mail')),
  targetedTest('referred', condition('referrer', 'contains', '/elsewhere')),
  targetedTest('computer', condition('device', 'in', 'desktop'), condition('browser', 'in', 'Chrome')),
  targetedTest('language', condition('language', 'startsWith', 'en')),
  targetedTest('returning', condition('returning', 'equals', 'true')),
];
const VALUE_TESTS = [
  targetedTest('known', condition('userId', 'in', 'u-1')),
  targetedTest('staff', condition('email', 'endsWith', '@shop.example')),
  targetedTest('clock', condition('hour', 'lessThan', 24)),
];

const [shop, garden] = VISITS_PROVISION.properties;
const { suite, isMissing } = await BrowserSuite.open({
  properties: [
    { ...shop, splitTests: [...shop!.splitTests, ...TESTS] },
    { ...garden, splitTests: [...garden!.splitTests, ...VALUE_TESTS] },
  ],
});
const KEYS = TESTS.map(({ key }) => key);

/** The tests in which the visitor sees the new text. */
const shown = async (...keys: string[]) => {
  const values = await read(suite.page, ...keys);
  expect(values.filter((value) => value !== 'new' && value !== 'old')).toEqual([]);
  return keys.filter((_, index) => values[index] === 'new');
};

/** What a server passes to the page of a visitor who belongs to the audience of one test. */
async function renderedFor(testKey: string) {
  const { page, server } = suite;
  const url = `${server.url}/v1/split-testing/config?propertyId=shop&key=${PUBLIC_KEY}`;
  return {
    visitorId: 'visitor-1',
    sessionId: 'session-1',
    config: await (await page.request.get(url)).json(),
    fetchedAt: Date.now(),
    exposed: [],
    audiences: Object.fromEntries(KEYS.map((key) => [key, key === testKey])),
  };
}

describe.skipIf(isMissing)('audiences of split tests in Chromium', () => {
  test('are decided by what the page knows and sets; others see the control and are not counted', async () => {
    const { page, site } = suite;
    await page.goto(site.url);
    expect(await shown(...KEYS)).toEqual(['computer', 'language']);
    const choice = () => sy.splitTest.assignments().find(({ testKey }) => testKey === 'plan');
    expect(await page.evaluate(choice)).toMatchObject({ variationKey: 'control', included: false });
    await page.evaluate(() => sy.setAttributes({ plan: 'pro' }));
    expect(await shown(...KEYS)).toEqual(['plan', 'computer', 'language']);
    await flush(page);
    const [events] = await suite.stored();
    const exposures = events!.filter((entry) => entry.startsWith('exposure'));
    expect(exposures.sort()).toEqual(
      ['plan', 'computer', 'language'].map((key) => `exposure ${key}=b`).sort(),
    );
  });

  test('listeners are called when attributes change, so that components show the other variation', async () => {
    const { page, server, site } = suite;
    const body = `<button></button><script>
      const show = () => { document.querySelector('button').textContent = sy.splitTest.get('plan', 'fallback'); };
      sy.ready().then(show);
      sy.subscribe(show);
    </script>`;
    await page.goto(site.put('/component', pageWithSdk(server.url, { body })));
    await page.getByRole('button', { name: 'old' }).waitFor();
    await page.evaluate(() => sy.setAttributes({ plan: 'pro' }));
    await page.getByRole('button', { name: 'new' }).waitFor();
  });

  test('know the path and query of each page of an app, and the campaign and referrer of the session', async () => {
    const { page, server, site } = suite;
    await page.goto(`${site.url}/elsewhere`);
    const first = site.put('/landing', pageWithSdk(server.url));
    await page.evaluate((url) => location.assign(url), `${first}?utm_source=mail&coupon=SPRING`);
    await page.waitForFunction(() => 'sy' in window);
    expect(await shown('path', 'query', 'campaign', 'referred')).toEqual(['query', 'campaign', 'referred']);
    await page.evaluate(() => history.pushState(null, '', '/pricing/all'));
    expect(await shown('path')).toEqual(['path']);
    await page.goto(`${site.url}/next`);
    expect(await shown('campaign', 'referred')).toEqual(['campaign', 'referred']);
    const remembered = await page.evaluate(() => localStorage['sy:propertyId=shop:entry']);
    expect(JSON.parse(remembered).slice(1)).toEqual([`${site.url}/elsewhere`, 'utm_source=mail']);
  });

  test('whoever was exposed stays, on later pages too, until the test has another phase', async () => {
    const { page, context, site } = suite;
    await page.goto(site.url);
    await page.evaluate(() => sy.setAttributes({ plan: 'pro' }));
    expect(await shown('plan')).toEqual(['plan']);
    await page.evaluate(() => sy.setAttributes({ plan: 'free' }));
    expect(await shown('plan')).toEqual(['plan']);
    // This page never says that the plan is pro.
    await page.reload();
    expect(await shown('plan', 'path')).toEqual(['plan']);
    const cookies = await context.cookies();
    expect(cookies.find(({ name }) => name === 'sy_audience')?.value).toBe('plan:1');
    await page.evaluate(() => {
      const config = JSON.parse(localStorage['sy:propertyId=shop:config']);
      for (const each of config.config.tests) each.phase = 2;
      localStorage['sy:propertyId=shop:config'] = JSON.stringify(config);
    });
    await page.reload();
    expect(await shown('plan')).toEqual([]);
    await page.evaluate(() => sy.setConsent(false));
    expect(await context.cookies()).toEqual([]);
  });

  test('a visitor returns with the second session', async () => {
    const { page, context, site } = suite;
    await page.goto(site.url);
    expect(await shown('returning')).toEqual([]);
    await page.reload();
    expect(await shown('returning')).toEqual([]);
    await page.evaluate(() => {
      const session = JSON.parse(localStorage.sy_session);
      localStorage.sy_session = JSON.stringify({ ...session, seenAt: 1 });
    });
    await context.clearCookies({ name: 'sy_session' });
    await page.reload();
    expect(await shown('returning')).toEqual(['returning']);
  });

  test('the preview of a variation is for everybody', async () => {
    const { page, site } = suite;
    await page.goto(`${site.url}/?sy_plan=b`);
    expect(await shown('plan')).toEqual(['plan']);
  });

  test('are loaded only when a test has one, and their values only when they are hashed or compared', async () => {
    const { page, server, site } = suite;
    const requests = watchRequests(page, server.url);
    const scripts = () => requests.filter((request) => request.includes('sdk-audience'));
    await page.goto(site.url);
    await read(page, 'plan');
    expect(scripts()).toEqual(['GET /sdk-audience.js']);
    await page.goto(site.put('/garden', pageWithSdk(server.url, { property: 'garden' })));
    await read(page, 'staff');
    expect(scripts()).toEqual([...new Array(2).fill('GET /sdk-audience.js'), 'GET /sdk-audience-values.js']);
    const keys = VALUE_TESTS.map(({ key }) => key);
    expect(await shown(...keys)).toEqual(['clock']);
    await page.evaluate(() => {
      sy.identify('u-1');
      sy.setAttributes({ email: 'jo@shop.example' });
    });
    expect(await shown(...keys)).toEqual(keys);
    const config = await (
      await page.request.get(
        `${server.url}/v1/split-testing/config?propertyId=garden&key=service_pub_0123456789abcdefGardenPublic`,
      )
    ).text();
    for (const secret of ['shop.example', 'u-1']) expect(config).not.toContain(secret);
  });

  test('a page that cannot load them shows its fallback and says so', async () => {
    const { page, server, site, consoleMessages } = suite;
    await page.route(`${server.url}/sdk-audience.js`, (route) => route.abort());
    await page.goto(site.url);
    expect(await read(page, 'plan', 'layout')).toEqual(['fallback', expect.stringMatching(/^(control|b)$/)]);
    expect(consoleMessages.join()).toContain('cannot load audiences');
  });

  test('a condition that only later versions know does not break the page', async () => {
    const { page, site } = suite;
    await page.goto(site.url);
    await read(page, 'plan');
    await page.evaluate(() => {
      const stored = JSON.parse(localStorage['sy:propertyId=shop:config']);
      const { audience } = stored.config.tests.find(({ key }: { key: string }) => key === 'plan');
      audience.conditions[0].operator = 'resembles';
      localStorage['sy:propertyId=shop:config'] = JSON.stringify(stored);
    });
    await page.reload();
    await page.evaluate(() => sy.setAttributes({ plan: 'pro' }));
    expect(await read(page, 'plan', 'language')).toEqual(['fallback', 'new']);
  });

  test('nothing is remembered of a visitor who withdraws consent while they are loaded', async () => {
    const { page, context, server, site } = suite;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`${server.url}/sdk-audience.js`, async (route) => {
      await released;
      await route.continue();
    });
    const bootstrap = await renderedFor('plan');
    await page.goto(site.put('/leaving', pageWithSdk(server.url, { options: { bootstrap } })));
    expect(await page.evaluate(() => sy.splitTest.get('plan', 'fallback'))).toBe('new');
    await page.evaluate(() => sy.setConsent(false));
    const loaded = page.waitForResponse(`${server.url}/sdk-audience.js`);
    release();
    await loaded;
    // Longer than the script takes to run.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await context.cookies()).toEqual([]);
  });

  test('the first paint shows what the server decided', async () => {
    const { page, server, site } = suite;
    const bootstrap = await renderedFor('plan');
    const body = `<script>window.first = [sy.splitTest.get('plan'), sy.splitTest.get('language')]</script>`;
    await page.goto(site.put('/rendered', pageWithSdk(server.url, { options: { bootstrap }, body })));
    expect(await page.evaluate(() => (window as unknown as { first: string[] }).first)).toEqual([
      'new',
      'old',
    ]);
    expect(await shown('plan', 'language')).toEqual(['plan']);
    await page.waitForFunction(() => document.cookie.includes('sy_audience=plan:1'));
  });

  test('the vectors pass in the script', async () => {
    const { page, server, site } = suite;
    const file = new URL('../../packages/core/src/cases/audience.json', import.meta.url);
    const head = `<script type="module">
      import { openAudiences } from '${server.url}/sdk-audience.js';
      window.openAudiences = openAudiences;
    </script>`;
    await page.goto(site.put('/vectors', pageWithSdk(server.url, { head })));
    await page.waitForFunction(() => 'openAudiences' in window);
    const failed = await page.evaluate(
      async (text) => {
        const { openAudiences } = window as unknown as { openAudiences: OpenAudiences };
        const names: string[] = [];
        for (const { name, audience, context, matches } of JSON.parse(text).cases) {
          const test = { key: 't', audience } as SplitTestDefinition;
          const read = () => ({ sessionId: 's' });
          const audiences = await openAudiences(
            [test],
            read,
            () => {},
            () => '',
            () => {},
            'entry',
          );
          if (audiences.includes(test, context) !== matches) names.push(name);
        }
        return names;
      },
      readFileSync(file, 'utf8'),
    );
    expect(failed).toEqual([]);
  });
});
