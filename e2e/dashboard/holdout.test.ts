import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { isInHoldout } from '../../packages/core/src/evaluation/assignment.ts';
import { confirmReview, Dashboard, expectUsable, PHONE, sidewaysScroll } from '../support/dashboard.ts';

const SEED = 'seed-of-the-shop';
const PERCENTAGE = 40;

const dashboard = await Dashboard.open({
  provision: sampleWith({
    hashSeed: SEED,
    holdout: PERCENTAGE,
    goals: [{ id: 'refund', name: 'Refund requests', kind: 'count', lowerIsBetter: true }],
  }),
});

/** Every visitor converts by the number of the visitor within the group. */
async function visit(shop: Shop, count: number): Promise<number[]> {
  const numbers = [0, 0];
  for (let at = 0; at < count; at += 100) {
    const batch = Array.from({ length: 100 }, (_, index) => {
      const visitorId = `visitor-${at + index}`;
      const group = isInHoldout({ seed: SEED, percentage: PERCENTAGE }, visitorId) ? 0 : 1;
      return { visitorId, sessionId: `s-${visitorId}`, group, number: numbers[group]!++ };
    });
    await accepted(...batch.map(({ visitorId, sessionId }) => shop.collect({ visitorId, sessionId })));
    const reach = (goalId: string, every: readonly [number, number]) =>
      batch
        .filter(({ group, number }) => number % every[group as 0 | 1] === 0)
        .map(({ sessionId }) => shop.increment({ goalId, sessionId }));
    await accepted(...reach('signup', [10, 2]), ...reach('refund', [5, 5]));
  }
  return numbers;
}

const panel = (page: Page) => page.getByRole('region', { name: 'Holdout', exact: true });
const row = (page: Page, name: string) => panel(page).getByRole('listitem').filter({ hasText: name });

describe.skipIf(dashboard.isMissing)('the holdout on the page of split tests', () => {
  let visitors: number[];
  beforeAll(async () => {
    visitors = await visit(new Shop(dashboard.server), 600);
  });

  it('is compared with everybody else, in words and with an interval for each goal', async () => {
    const page = await dashboard.shopPage('split-tests');
    await row(page, 'Sign-ups').waitFor();
    const text = await panel(page).textContent();
    expect(text).toMatch(/Visitors outside of the holdout do better on Sign-ups \(\+39\d %\)\./);
    expect(text).toMatch(
      new RegExp(
        `${visitors[0]} visitors in the holdout \\(\\d\\d\\s%\\), ${visitors[1]} outside of it, since`,
      ),
    );
    expect(await row(page, 'Sign-ups').textContent()).toMatch(/10.\d\s% → 50\s%.*\+39\d\s%.*Better/);
    await row(page, 'Sign-ups')
      .getByRole('img', { name: /^Sign-ups: \+39\d\s%, between \+\d+\s% and \+\d+\s%$/ })
      .waitFor();
    expect(await row(page, 'Refund requests').textContent()).toMatch(/lower is better.*Not clear/);
    expect(await row(page, 'Revenue').textContent()).toContain('Too early');
    await expectUsable(page);
    const phone = await dashboard.shopPage('split-tests', undefined, { viewport: PHONE });
    await row(phone, 'Sign-ups').waitFor();
    expect(await sidewaysScroll(phone)).toBe(0);
  });

  it('names the tests that ended with a winner since then', async () => {
    const manager = new PropertyManager(dashboard.owner);
    bodyOf(await manager.patch('/split-tests/hero', { status: 'stopped', winner: 'b' }, '*'));
    const page = await dashboard.shopPage('split-tests');
    await panel(page).getByRole('heading', { name: 'Ended with a winner since then' }).waitFor();
    await panel(page).getByRole('link', { name: 'hero' }).click();
    await page.waitForURL('**/p/shop/split-tests/hero');
  });

  it('is linked from the settings, and gone without a holdout', async () => {
    const page = await dashboard.shopPage('settings');
    await page.getByRole('link', { name: 'What the holdout shows' }).click();
    await row(page, 'Sign-ups').waitFor();
    await panel(page).getByRole('link', { name: 'Change it in the settings' }).click();
    await page.getByLabel('Share of visitors').fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await confirmReview(page);
    await page.getByText('No unsaved changes').waitFor();
    expect(await page.getByRole('link', { name: 'What the holdout shows' }).count()).toBe(0);
    await page.goto('/p/shop/split-tests');
    await page.getByRole('table', { name: 'Split tests' }).waitFor();
    expect(await panel(page).count()).toBe(0);
  });
});
