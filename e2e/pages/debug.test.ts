import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { waitFor } from '@switchyard/testing/time/wait';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BrowserSuite, flush, read, visitor } from '../support/browser-suite.ts';
import { accessibilityProblems } from '../support/dashboard.ts';
import { pageWithSdk } from '../support/visits.ts';

const { suite, isMissing } = await BrowserSuite.open();

/** The console lines of the SDK, without their prefix. */
const lines = () =>
  suite.consoleMessages
    .filter((text) => text.startsWith('[switchyard] '))
    .map((text) => text.slice('[switchyard] '.length));

const overlay = (page: Page) => page.locator('#switchyard-debug');

describe.skipIf(isMissing)('warnings', () => {
  test.for([
    [{ publicApiKey: 'service_pub_0123456789abcdefUnknown' }, /^The API key does not exist or was deleted/],
    [{ propertyId: 'garden' }, /^The API key does not belong to the property/],
  ] as const)('%o: said once', async ([options, message]) => {
    const { page, site, server } = suite;
    await page.goto(site.put('/refused', pageWithSdk(server.url, { options })));
    expect(await read(page, 'hero')).toEqual(['fallback']);
    await flush(page);
    await page.evaluate(() => sy.track('bought'));
    await flush(page);
    expect(lines()).toEqual([expect.stringMatching(message)]);
  });

  test('a split test that does not exist: said once for each', async () => {
    const { page, site } = suite;
    await page.goto(site.url);
    for (let i = 0; i < 3; i++) expect(await read(page, 'herro', 'pricng')).toEqual(['fallback', 'fallback']);
    expect(lines()).toEqual([
      'split test is not running or does not exist: herro',
      'split test is not running or does not exist: pricng',
    ]);
  });
});

describe.skipIf(isMissing)('`debug: true`', () => {
  test('explains decisions and deliveries, also those before the tools were loaded', async () => {
    const { page, site, server } = suite;
    const body = `<script>sy.ready().then(() => sy.splitTest.get('hero', ''))</script>`;
    await page.goto(site.put('/debug', pageWithSdk(server.url, { options: { debug: true }, body })));
    // With the page view, unless the machine is slow.
    await waitFor('the narration', async () =>
      lines().some((line) => /^acknowledged: .*1 exposure$/.test(line)),
    );
    const said = lines().join('\n');
    expect(said).toMatch(/definitions fetched: hero, layout/);
    expect(said).toMatch(/hero: (control|b), draw [\d.]+ is within/);
    expect(said).toMatch(/hero: exposure to (control|b) recorded/);
    expect(said).toMatch(/sent POST \/v1\/[\w/-]+: (1 event, )?1 exposure/);
    expect(await overlay(page).count()).toBe(0);
  });

  test('works without the tools, and says that they are missing', async () => {
    const { page, site, server } = suite;
    const head = `<meta http-equiv="content-security-policy" content="script-src 'self' 'unsafe-inline'">`;
    await page.goto(site.put('/policy', pageWithSdk(server.url, { options: { debug: true }, head })));
    expect(['Buy', 'Get it']).toContain((await read(page, 'hero'))[0]);
    await waitFor('the warning', async () =>
      lines().some((line) => line.startsWith('cannot load the debugging tools')),
    );
  });
});

describe.skipIf(isMissing)('the overlay of `?sy_debug`', () => {
  test('shows assignments, exposures, ids and warnings, and previews variations', async () => {
    const { page, site } = suite;
    await page.goto(`${site.url}/?sy_debug`);
    const [hero] = await read(page, 'hero', 'no-traffic', 'herro');
    const panel = overlay(page);
    await panel.getByText('exposure recorded', { exact: true }).waitFor();
    const shown = (await panel.locator('aside').textContent())!;
    expect(shown).toContain(await visitor(page));
    expect(shown).toContain(await page.evaluate(() => sy.sessionId()!));
    expect(shown).toContain('consent granted');
    expect(shown).toMatch(/no-traffic.*not included, so the first variation/);
    expect(shown).toContain('herro: not running or does not exist');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const problems = await accessibilityProblems(page);
      // The page itself has no language.
      expect(problems.filter((problem) => !problem.startsWith('html-has-lang'))).toEqual([]);
    }
    const other = hero === 'Buy' ? 'b' : 'control';
    await panel.locator('li').filter({ hasText: 'hero' }).first().getByRole('link', { name: other }).click();
    await page.waitForURL((url) => url.searchParams.get('sy_hero') === other);
    expect(await read(page, 'hero')).toEqual([other === 'b' ? 'Get it' : 'Buy']);
    await panel.getByText(`preview, because the URL has sy_hero=${other}`).waitFor();
    await panel.getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Escape');
    expect(await panel.count()).toBe(0);
  });

  test('explains a page that the server has rendered: its exposures, and previews', async () => {
    const { page, site, server } = suite;
    const config = await fetch(`${server.url}/v1/split-testing/config?propertyId=shop`, {
      headers: { 'x-api-key': PUBLIC_KEY },
    }).then((response) => response.json());
    const ids = { visitorId: 'visitor-rendered-1', sessionId: 'session-rendered-1' };
    const bootstrap = { ...ids, config, fetchedAt: Date.now(), exposed: ['hero'] };
    const url = site.put('/rendered', pageWithSdk(server.url, { options: { bootstrap } }));
    const panel = overlay(page);
    const row = (key: string) => panel.locator('li').filter({ has: page.locator(`b:text-is("${key}")`) });
    await page.goto(`${url}?sy_debug&sy_layout=b`);
    await row('hero')
      .getByText(/^draw [\d.]+ is within/)
      .waitFor();
    await row('hero').getByText('exposure recorded by the server').waitFor();
    await row('layout').getByText('preview', { exact: true }).waitFor();
    await row('layout').getByText('preview, because the URL has sy_layout=b').waitFor();
    await row('pricing').getByText('not read').waitFor();
    await read(page, 'hero', 'layout');
    await row('hero').getByText('exposure recorded by the server').waitFor();
    await row('layout').getByText('preview', { exact: true }).waitFor();
  });

  test('shows the queue during an outage, and that it is empty afterwards', async () => {
    const { page, site, server } = suite;
    await page.setViewportSize({ width: 390, height: 700 });
    await page.goto(`${site.url}/?sy_debug`);
    await read(page);
    await flush(page);
    const panel = overlay(page);
    await panel.getByText('Nothing pending').waitFor();
    await page.route(`${server.url}/v1/**`, (route) => route.abort());
    await page.evaluate(() => sy.track('bought'));
    await flush(page);
    await panel.getByText('1 pending').waitFor();
    await panel.getByText('no response (TypeError').first().waitFor();
    await panel.getByText('Next attempt at').waitFor();
    const { width } = (await panel.locator('aside').boundingBox())!;
    expect(width).toBeLessThanOrEqual(390);
    await page.unroute(`${server.url}/v1/**`);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await panel.getByText('Nothing pending').waitFor();
  });

  test('shows that consent is missing', async () => {
    const { page, site, server } = suite;
    await page.goto(
      site.put('/consent', pageWithSdk(server.url, { options: { consent: 'required' } })).concat('?sy_debug'),
    );
    await overlay(page).getByText('no consent').waitFor();
    await page.evaluate(() => sy.setConsent(true));
    await overlay(page).getByText('consent granted').waitFor();
  });
});
