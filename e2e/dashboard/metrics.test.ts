import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  confirmReview,
  Dashboard,
  expectUsable,
  PHONE,
  saveButton,
  sidewaysScroll,
} from '../support/dashboard.ts';

const DAY = 86_400_000;
const clock = new AdjustableClock();

const dashboard = await Dashboard.open({
  provision: sampleWith(
    {
      metrics: [
        {
          id: 'load-time',
          name: 'Load time',
          kind: 'quantile',
          quantile: 0.9,
          event: 'loaded',
          property: 's',
        },
        { id: 'saw-basket', name: 'Saw the basket', kind: 'page', path: '/basket*', tags: ['shopping'] },
      ],
      flags: [
        {
          key: 'fast',
          name: 'Fast pages',
          type: 'boolean',
          defaultValue: false,
          environments: {
            production: {
              enabled: true,
              value: false,
              rules: [
                {
                  id: 'half',
                  rollout: { percentage: 50 },
                  value: true,
                  measure: { goals: [{ metric: 'load-time' }] },
                },
              ],
            },
          },
        },
      ],
      splitTests: [
        {
          key: 'basket',
          name: 'A short basket',
          type: 'id',
          variations: ['control', 'short'].map((key) => ({ key, weight: 1 })),
          goals: ['signup'],
        },
      ],
    },
    [{ id: 'empty', name: 'Empty' }],
  ),
  wrap: clock.wrap,
});

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

const stored = async (id: string) => bodyOf(await new PropertyManager(dashboard.owner).get(`/metrics/${id}`));

/** Visitors who get as far as they get, each with an order of 40 or 60 dollars at the end. */
async function shopping(shop: Shop, name: string, reached: readonly [number, number, number]): Promise<void> {
  const [all, baskets, orders] = reached;
  const sessions = Array.from({ length: all }, (_, index) => `${name}-${index}`);
  for (const [index, sessionId] of sessions.entries()) {
    const paths = index < baskets ? ['/', '/basket'] : ['/'];
    const loaded = { type: 'event', name: 'loaded', properties: { s: 1 + (index % 10) / 10 } };
    const views = paths.map((path) => ({ type: 'pageview', url: `https://shop.example${path}` }));
    await accepted(shop.collect({ sessionId, visitorId: sessionId, events: [...views, loaded] }));
  }
  const buyers = sessions.slice(0, orders);
  await accepted(
    ...buyers.map((sessionId, index) =>
      shop.increment({ goalId: 'revenue', sessionId, amount: index % 2 === 0 ? 40 : 60 }),
    ),
  );
}

describe.skipIf(dashboard.isMissing)('metrics in the dashboard', () => {
  beforeAll(async () => {
    // Visitors are followed for some days, which are over when the dashboard is opened.
    clock.set(-9 * DAY);
    await shopping(new Shop(dashboard.server), 'before', [20, 10, 5]);
    clock.set(0);
  });

  it('explains what metrics are where there is none', async () => {
    const page = await dashboard.newPage('/p/empty/overview');
    await page.getByRole('navigation').getByRole('link', { name: 'Metrics' }).click();
    await page.getByText('No metrics yet').waitFor();
    await page.getByText('Who comes back within a week?').waitFor();
    await expectUsable(page);
    // A test can begin with a metric where there are no goals.
    await page.goto('/p/empty/split-tests?new=1');
    await region(page, 'Goals').getByRole('link', { name: 'a metric' }).click();
    await page.waitForURL('**/p/empty/metrics');
  });

  it('creates a funnel whose steps can be moved, and shows what it was before it is saved', async () => {
    const page = await dashboard.shopPage('metrics');
    await page.getByRole('button', { name: 'New metric' }).click();
    await page.getByLabel('Name').fill('To the order');
    await page.getByRole('radio', { name: 'Funnel' }).check();
    const preview = region(page, 'Preview');
    await preview.getByText('Complete the metric').waitFor();
    await page.getByLabel('Step 1: path').fill('nowhere');
    await choose(page, 'Step 2: goal', 'Revenue');
    await page.getByRole('button', { name: 'Add step' }).click();
    await page.getByLabel('Step 3: path').fill('/basket*');
    await page.getByRole('button', { name: 'Move step 3 up' }).press('Enter');
    await expect.poll(() => page.getByLabel('Step 2: path').inputValue()).toBe('/basket*');

    // What the server does not accept is marked at its field.
    await saveButton(page).click();
    await page.getByText('Must start with "/" or "*"').waitFor();
    dashboard.ignoreProblems(/400/);
    await page.getByLabel('Step 1: path').fill('/');
    await preview.getByText('25 %', { exact: true }).waitFor();
    await preview.getByText(/^Last 30 days: 25(\.0)? % of 20 visitors\./).waitFor();
    const steps = preview.getByRole('list', { name: 'Visitors who reached each step' });
    expect(await steps.getByRole('listitem').allTextContents()).toEqual([
      '1. /20',
      '2. /basket*10',
      '3. Revenue5',
    ]);
    await expectUsable(page);

    await saveButton(page).click();
    await confirmReview(page, 'Create');
    await page.waitForURL('**/p/shop/metrics/to-the-order');
    await page.getByText('/ → /basket* → Revenue, within 7 days').waitFor();
    expect(await stored('to-the-order')).toMatchObject({
      kind: 'funnel',
      steps: [{ path: '/' }, { path: '/basket*' }, { goalId: 'revenue' }],
      withinDays: 7,
    });
    await page.getByText('version 1').waitFor();
  });

  it('creates a ratio, and says when nobody did what it is about', async () => {
    const page = await dashboard.shopPage('metrics?new=1');
    await page.getByLabel('Name').fill('Order value');
    await page.getByRole('radio', { name: 'Page views' }).check();
    await page.getByText('Who leaves at once').click();
    const isLowerBetter = page.getByRole('switch', { name: 'Lower is better' });
    await expect.poll(() => isLowerBetter.isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'Ratio' }).check();
    expect(await isLowerBetter.isChecked()).toBe(false);
    await choose(page, 'Sum: kind', 'Custom event');
    await page.getByLabel('Sum: event').fill('nothing like it');
    await choose(page, 'Divided by: goal', 'Revenue');
    const preview = region(page, 'Preview');
    await preview.getByText(/^No events yet/).waitFor();
    await choose(page, 'Sum: kind', 'Amounts of');
    await choose(page, 'Sum: goal', 'Revenue');
    await preview.getByText('$48.00', { exact: true }).waitFor();
    await saveButton(page).click();
    await confirmReview(page, 'Create');
    await page.waitForURL('**/p/shop/metrics/order-value');
    expect(await stored('order-value')).toMatchObject({
      numerator: { goalId: 'revenue', of: 'sum' },
      denominator: { goalId: 'revenue', of: 'count' },
    });
  });

  it('plans a test for a metric, and shows its steps and windows in the results', async () => {
    const page = await dashboard.shopPage('split-tests/basket?tab=edit');
    await choose(page, 'Primary goal', 'To the order');
    await page.getByText(/In the last 28 days, 5 of 20 visitors reached "To the order"/).waitFor();
    await saveButton(page).click();
    await confirmReview(page);

    const manager = new PropertyManager(dashboard.owner);
    clock.set(-8 * DAY);
    const goals = [{ metric: 'to-the-order' }, { metric: 'order-value' }, { metric: 'load-time' }];
    bodyOf(await manager.patch('/split-tests/basket', { goals, status: 'running' }, '*'));
    const shop = new Shop(dashboard.server);
    const figures: Record<string, [number, number, number]> = { control: [30, 15, 6], short: [30, 20, 12] };
    for (const [variationKey, reached] of Object.entries(figures)) {
      const sessions = Array.from({ length: reached[0] }, (_, index) => `${variationKey}-${index}`);
      await accepted(
        shop.expose(...sessions.map((sessionId) => ({ splitTestKey: 'basket', variationKey, sessionId }))),
      );
      await shopping(shop, variationKey, reached);
    }
    clock.set(0);
    await accepted(shop.expose({ splitTestKey: 'basket', variationKey: 'short', sessionId: 'late' }));

    await page.goto('/p/shop/split-tests/basket');
    const primary = region(page, 'Primary goal');
    await primary.getByText('1 visitor is still followed, and not counted yet.').waitFor();
    await primary.getByText('Each visitor is followed for 7 days').waitFor();
    const rows = primary.getByRole('table').getByRole('row');
    expect(await rows.allTextContents()).toEqual([
      'Stepcontrolshort',
      expect.stringMatching(/^1\. \/100\s% 30100\s% 30$/),
      expect.stringMatching(/^2\. \/basket\*50\s% 1566\.7\s% 20$/),
      expect.stringMatching(/^3\. Revenue20\s% 640\s% 12$/),
    ]);
    const secondary = region(page, 'Secondary goals');
    expect(await secondary.textContent()).toMatch(
      /90th percentile.*control1\.8compared.*control: 30 values of 30 visitors; short: 30 values of 30 visitors/,
    );
    await region(page, 'By day and by group').waitFor();
    await expectUsable(page);
    await primary.getByRole('link', { name: 'To the order' }).click();
    await page.waitForURL('**/p/shop/metrics/to-the-order');
  });

  it('says which fields are fixed once a test has started, and changes the others', async () => {
    const page = await dashboard.shopPage('metrics/to-the-order');
    const definition = region(page, 'What it measures');
    await definition.getByText(/^What it measures is fixed: A short basket has started with it/).waitFor();
    expect(await page.getByLabel('Step 1: path').isDisabled()).toBe(true);
    expect(await page.getByLabel('Within').isDisabled()).toBe(true);
    expect(await page.getByRole('combobox', { name: 'Kind', exact: true }).isDisabled()).toBe(true);
    const remove = page.getByRole('button', { name: 'Delete metric' });
    expect(await remove.getAttribute('aria-description')).toBe('It is still in use, see above');
    await page.getByLabel('Description', { exact: true }).fill('Everybody who paid');
    await saveButton(page).click();
    await confirmReview(page);
    expect(await stored('to-the-order')).toMatchObject({ description: 'Everybody who paid' });
    await expectUsable(page);
  });

  it('lists metrics with what they measure, where they are used and what they were; and finds them', async () => {
    const page = await dashboard.shopPage('metrics', undefined, { viewport: PHONE });
    const row = page.getByRole('row').filter({ hasText: 'To the order' });
    await row.getByText('/ → /basket* → Revenue, within 7 days').waitFor();
    await row.getByRole('link', { name: 'A short basket' }).waitFor();
    await row.getByText('primary goal, running').waitFor();
    await row.getByText(/^28\.7\s%$/).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    await page.getByRole('link', { name: 'Fast pages (Production, rule 1)' }).click();
    await page.getByText('Nobody has been counted yet').waitFor();
    await page.goBack();
    await page.getByLabel('Search metrics').fill('shopping');
    await expect.poll(() => page.getByRole('link', { name: 'To the order' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Saw the basket' }).click();
    await page.getByRole('button', { name: 'Delete metric' }).click();
    await confirmReview(page, 'Delete');
    await page.waitForURL('**/p/shop/metrics');
    expect((await new PropertyManager(dashboard.owner).get('/metrics/saw-basket')).status).toBe(404);
  });
});
