import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { accepted, Shop } from '@switchyard/testing/fixtures/shop';
import { beforeAll, describe, expect, it } from 'vitest';
import { Dashboard, expectUsable } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({ provision: SAMPLE });

describe.skipIf(dashboard.isMissing)('overview and traffic', () => {
  beforeAll(async () => {
    const shop = new Shop(dashboard.server);
    const visit = (index: number, path: string) =>
      shop.collect({
        sessionId: `s${index}`,
        visitorId: `v${index}`,
        events: [
          { type: 'pageview', url: `https://shop.example${path}?utm_source=news` },
          { type: 'pageview', url: 'https://shop.example/cart' },
        ],
      });
    await accepted(visit(1, '/'), visit(2, '/'), visit(3, '/pricing'));
    await accepted(
      shop.post('/v1/goals/increment', { propertyId: 'shop', goalId: 'signup', sessionId: 's1' }),
    );
  });

  it('shows the figures of the period, and which events have not arrived yet', async () => {
    const page = await dashboard.shopPage('overview');
    await page.getByRole('button', { name: /Visitors\s*3/ }).waitFor();
    await page.getByRole('button', { name: /Conversions\s*1/ }).click();
    expect(page.url()).toContain('metric=conversions');
    await page.getByRole('heading', { level: 2, name: 'Conversions' }).waitFor();
    const check = page.getByRole('region', { name: 'Installation check' });
    await check.getByText('First session').waitFor();
    expect(await check.textContent()).toMatch(/First feedback.*not received yet/);
    await check.getByText('Show how').first().click();
    expect(await check.getByRole('figure').first().textContent()).toContain(dashboard.server.url);
  });

  it('hides the installation check for good when it is dismissed', async () => {
    const page = await dashboard.shopPage('overview');
    const check = page.getByRole('region', { name: 'Installation check' });
    await check.getByRole('button', { name: 'Dismiss' }).click();
    await check.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: /Visitors\s*3/ }).waitFor();
    expect(await check.count()).toBe(0);
  });

  it('says what the overview cannot load', async () => {
    const page = await dashboard.shopPage('traffic');
    const refuse = (path: string) =>
      page.route(path, (route) =>
        route.fulfill({ status: 403, body: '{}', contentType: 'application/json' }),
      );
    await Promise.all(['**/v1/traffic/received?*', '**/proposals?*'].map(refuse));
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Cannot load the received events').waitFor();
    await page.getByText('Cannot load the proposals').waitFor();
    await page.unroute('**/v1/traffic/received?*');
    await refuse('**/properties/shop/keys');
    await page.reload();
    const check = page.getByRole('region', { name: 'Installation check' });
    await check.getByText('Show how').first().click();
    await check.getByText('Cannot load the public key').waitFor();
    dashboard.ignoreProblems(/403/);
  });

  it('leads from the flags to clean up to the same flags in the list', async () => {
    const usage = (environment: string, stale: object | null) => ({
      environment,
      evaluations: 9,
      lastEvaluatedAt: 1,
      values: [{ value: true, count: 9 }],
      stale,
    });
    const stale = usage('production', { reason: 'same_value', since: 1 });
    const keys = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'new-checkout'];
    const flags = [
      { flagKey: 'busy', environments: [stale, usage('staging', null)] },
      ...keys.map((flagKey) => ({ flagKey, environments: [stale] })),
    ];
    const page = await dashboard.shopPage('traffic');
    await page.route('**/v1/flags/usage?*', (route) => route.fulfill({ json: { flags } }));
    await page.getByRole('link', { name: 'Overview' }).click();
    const panel = page.getByRole('region', { name: 'Flags to clean up' });
    await panel.getByRole('link', { name: 'f6' }).waitFor();
    expect(await panel.getByRole('link', { name: 'busy' }).count(), 'staging still uses it').toBe(0);
    await panel.getByRole('link', { name: '1 more' }).click();
    await page.getByRole('table', { name: 'Flags' }).getByText('new-checkout').waitFor();
    expect(await page.getByRole('combobox', { name: 'Use' }).inputValue()).toBe('Stale');
  });

  it('shows the visits behind the figures, or says which filter their list does not have', async () => {
    const page = await dashboard.shopPage('traffic?period=7d&page=%2Fpricing&bots=only');
    await page.getByRole('link', { name: 'Show these visits' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      period: '7d',
      page: '/pricing',
      bots: 'only',
    });
    await page.goto('/p/shop/traffic?period=custom&from=2026-01-01&to=2026-01-31&utmSource=news');
    await page.getByText('The list of sessions cannot be filtered by UTM source').waitFor();
    expect(await page.getByRole('link', { name: 'Show these visits' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove the filter UTM source: news' }).click();
    const link = page.getByRole('link', { name: 'Show these visits' });
    expect(await link.getAttribute('href')).toContain('period=custom&from=2026-01-01&to=2026-01-31');
  });

  it('filters everything by a row, and the filter is part of the address', async () => {
    const page = await dashboard.shopPage('traffic');
    await page.getByRole('button', { name: /Visitors\s*3/ }).waitFor();
    await page.getByRole('tab', { name: 'Entry page' }).click();
    const rows = page.getByRole('list', { name: 'Entry page' });
    await rows.getByRole('button', { name: 'Filter by /pricing' }).click();
    await page.getByRole('button', { name: /Visitors\s*1/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /Visitors\s*1/ }).waitFor();
    await page.getByRole('button', { name: 'Remove the filter Entry page: /pricing' }).click();
    await page.getByRole('button', { name: /Visitors\s*3/ }).waitFor();
    await page.getByRole('button', { name: '3 visitors now' }).waitFor();
  });

  it('reads the chart with the arrow keys, or as a table', async () => {
    const page = await dashboard.shopPage('traffic');
    const chart = page.getByRole('group', { name: /Visitors by day/ });
    await chart.focus();
    await page.keyboard.press('End');
    await expect.poll(() => chart.getByRole('status').textContent()).toContain('Visitors 3');
    await page.getByText('Show as table').click();
    await page.getByRole('table', { name: /Visitors by day/ }).waitFor();
  });

  it('keeps the last figures when new ones cannot be loaded, and never shows an error as no data', async () => {
    const page = await dashboard.shopPage('traffic');
    await page.getByRole('button', { name: /Visitors\s*3/ }).waitFor();
    await page.route('**/v1/traffic/breakdown**', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.getByRole('tab', { name: 'Browser' }).click();
    await page
      .getByRole('alert')
      .getByText(/^Cannot (load|refresh)/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: /Visitors\s*3/ }).waitFor();
    dashboard.ignoreProblems(/503/);
  });

  it.each(['overview', 'traffic'])('%s is accessible in both themes and fits a phone', async (path) => {
    const page = await dashboard.shopPage(path);
    await page.getByRole('button', { name: /Visitors\s*3/ }).waitFor();
    await expectUsable(page);
  });
});
