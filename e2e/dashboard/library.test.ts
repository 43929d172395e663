import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { Dashboard, expectUsable, PHONE, sidewaysScroll } from '../support/dashboard.ts';

const test = (key: string, fields: object = {}) => ({
  key,
  type: 'id',
  status: 'running',
  variations: ['control', 'b'].map((name) => ({ key: name, weight: 50, value: name })),
  goals: ['signup'],
  ...fields,
});

const dashboard = await Dashboard.open({
  provision: sampleWith({
    splitTests: [
      test('photo', { name: 'A photo', hypothesis: 'A photo of the product helps', tags: ['landing'] }),
      test('footer', { name: 'A footer', tags: ['layout'] }),
      test('shipping', { name: 'Free shipping' }),
    ],
  }),
});

/** Visitors of two tests, as many in each combination of variations. */
async function visit(
  shop: Shop,
  [one, other]: [string, string],
  converted: readonly number[],
): Promise<void> {
  for (const [index, conversions] of converted.entries()) {
    const seen = { [one]: index < 2 ? 'control' : 'b', [other]: index % 2 === 0 ? 'control' : 'b' };
    const sessions = Array.from({ length: 150 }, (_, visitor) => `${one}-${other}-${index}-${visitor}`);
    await accepted(
      shop.expose(
        ...sessions.flatMap((sessionId) =>
          Object.entries(seen).map(([splitTestKey, variationKey]) => ({
            splitTestKey,
            variationKey,
            sessionId,
          })),
        ),
      ),
    );
    await accepted(
      ...sessions.slice(0, conversions).map((sessionId) => shop.increment({ goalId: 'signup', sessionId })),
    );
  }
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const entries = (page: Page) => region(page, 'Finished tests').getByRole('list').getByRole('listitem');

describe.skipIf(dashboard.isMissing)('what tests have in common', () => {
  beforeAll(async () => {
    const shop = new Shop(dashboard.server);
    await visit(shop, ['hero', 'shipping'], [30, 75, 75, 30]);
    await visit(shop, ['photo', 'footer'], [30, 31, 90, 91]);
  });

  it('shows on the results which other tests share visitors, and that the effect depends on one', async () => {
    const page = await dashboard.shopPage('split-tests/hero');
    const panel = region(page, 'Other tests on the same visitors');
    await panel.scrollIntoViewIfNeeded();
    await panel.getByRole('row', { name: /Free shipping/ }).waitFor();
    expect(await panel.getByRole('alert').textContent()).toBe(
      'The effect differs between the variations of "Free shipping". 1 other test shares visitors with this one.',
    );
    const text = await panel.getByRole('row', { name: /Free shipping/ }).textContent();
    expect(text).toMatch(
      /Free shipping600100\s%Interaction.*"b" has \+150 % with "control" and -60 % with "b"\./,
    );
    await expectUsable(page);
  });

  it('has an empty library until a test has finished', async () => {
    const page = await dashboard.shopPage('split-tests?tab=library');
    await page.getByText('No test has finished yet').waitFor();
    await expectUsable(page);
  });

  it('keeps finished tests with question, decision and effect, and finds them', async () => {
    const manager = new PropertyManager(dashboard.owner);
    const decision = { outcome: 'ship', reason: 'Three times as many sign-ups' };
    bodyOf(await manager.patch('/split-tests/photo', { status: 'stopped', winner: 'b', decision }, '*'));
    bodyOf(await manager.patch('/split-tests/footer', { status: 'stopped' }, '*'));
    const page = await dashboard.shopPage('split-tests');
    await page.getByRole('tab', { name: 'Library' }).click();
    await expect.poll(() => entries(page).count()).toBe(2);
    const photo = entries(page).filter({ hasText: 'A photo' });
    expect(await photo.textContent()).toMatch(
      /^A photoShippedbA photo of the product helps"b" did better: \+197 %, .* Expect \+\d+ %\.Decided: Three times as many sign-ups/,
    );
    expect(await photo.textContent()).toMatch(/600 visitors\+120 converted while it ran/);
    const record = region(page, 'What finished tests say');
    await record.getByText('1 of 1 decided test shipped a change (100 %).').waitFor();
    await record.getByText('Of the latest 2 tests.').waitFor();
    await record.getByText('Shipped, of 1 decided').waitFor();
    expect(await record.getByRole('row', { name: /Sign-ups/ }).textContent()).toMatch(
      /^Sign-ups1\+196\.7\s%\+[\d.]+\s% \(\+[\d.]+\s% to \+[\d.]+\s%\)$/,
    );
    await expectUsable(page);

    await page.getByRole('searchbox', { name: 'Search finished tests' }).fill('PRODUCT');
    await expect.poll(() => entries(page).allTextContents()).toHaveLength(1);
    expect(page.url()).toContain('q=PRODUCT');
    await page.getByRole('searchbox', { name: 'Search finished tests' }).fill('nothing like it');
    await page.getByText('No finished test matches.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => entries(page).count()).toBe(2);
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'No decision' }).click();
    await expect.poll(() => entries(page).allTextContents()).toEqual([expect.stringContaining('A footer')]);
    await page.getByRole('link', { name: 'A footer' }).click();
    await page.getByRole('heading', { level: 1, name: 'A footer' }).waitFor();
  });

  it('fits on a phone', async () => {
    const page = await dashboard.newPage('/p/shop/split-tests?tab=library', dashboard.owner, {
      viewport: PHONE,
    });
    await entries(page).first().waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    await page.goto(page.url().replace('split-tests?tab=library', 'split-tests/hero'));
    const panel = region(page, 'Other tests on the same visitors');
    await panel.scrollIntoViewIfNeeded();
    await panel.getByRole('row', { name: /Free shipping/ }).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
  });
});
