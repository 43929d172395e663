import { readFileSync } from 'node:fs';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { describe, expect, test } from 'vitest';
import type { OpenAudiences } from '../../packages/sdk/src/client/audiences.ts';
import type { SplitTestDefinition } from '../../packages/sdk/src/client/split-tests.ts';
import { BrowserSuite, flush, read } from '../support/browser-suite.ts';
import { pageWithSdk, VISITS_PROVISION, watchRequests } from '../support/visits.ts';

const condition = (attribute: string, operator: string, ...values: (string | number)[]) => ({
  attribute,
  operator,
  values,
});

/** Everybody in the audience sees the new text. */
const targeted = (key: string, ...conditions: object[]) => ({
  key,
  type: 'text',
  status: 'running',
  trafficAllocation: 100,
  variations: [
    { key: 'control', weight: 0, value: 'old' },
    { key: 'b', weight: 1, value: 'new' },
  ],
  audience: { conditions },
});

const TESTS = [
  targeted('plan', condition('plan', 'in', 'pro')),
  targeted('path', condition('path', 'startsWith', '/pricing')),
  targeted('query', condition('query.coupon', 'equals', 'SPRING')),
  targeted('campaign', condition('utm.source', 'equals', 'mail')),
  targeted('referred', condition('referrer', 'contains', '/elsewhere')),
  targeted('computer', condition('device', 'in', 'desktop'), condition('browser', 'in', 'Chrome')),
  targeted('language', condition('language', 'startsWith', 'en')),
  targeted('returning', condition('returning', 'equals', 'true')),
];
const VALUE_TESTS = [
  targeted('known', condition('userId', 'in', 'u-1')),
  targeted('staff', condition('email', 'endsWith', '@shop.example')),
  targeted('clock', condition('hour', 'lessThan', 24)),
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

  test('the first paint shows what the server decided', async () => {
    const { page, server, site } = suite;
    const response = await page.request.get(
      `${server.url}/v1/split-testing/config?propertyId=shop&key=${PUBLIC_KEY}`,
    );
    const bootstrap = {
      visitorId: 'visitor-1',
      sessionId: 'session-1',
      config: await response.json(),
      fetchedAt: Date.now(),
      exposed: [],
      audiences: Object.fromEntries(KEYS.map((key) => [key, key === 'plan'])),
    };
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
