import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { beforeAll, describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, saveButton } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: sampleWith({
    splitTests: [
      {
        key: 'harmful',
        name: 'Harmful headline',
        type: 'id',
        status: 'running',
        goals: ['signup'],
        variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
      },
    ],
  }),
});

const FIGURES = /^Stopped automatically\. "b": Sign-ups got worse: 50\s% → 3\s%, -94\s%, between /;

describe.skipIf(dashboard.isMissing)('a test that does harm', () => {
  beforeAll(async () => {
    const shop = new Shop(dashboard.server);
    for (const [variationKey, count] of Object.entries({ control: 50, b: 3 })) {
      const sessions = Array.from({ length: 100 }, (_, index) => `${variationKey}-${index}`);
      await accepted(
        shop.expose(...sessions.map((sessionId) => ({ splitTestKey: 'harmful', variationKey, sessionId }))),
      );
      await accepted(
        ...sessions.slice(0, count).map((sessionId) => shop.increment({ goalId: 'signup', sessionId })),
      );
    }
  });

  it('is stopped by itself once the editor says so; its page, the list and the overview say why', async () => {
    const page = await dashboard.shopPage('split-tests/harmful?tab=edit');
    const choice = page.getByRole('radiogroup', { name: 'If a variation does harm' });
    expect(await choice.getByRole('radio', { name: 'Notify me' }).isChecked()).toBe(true);
    await choice.getByText('Stop it').click();
    await page.getByText(/if no other is left, the test is stopped/).waitFor();
    await saveButton(page).click();
    await page.getByRole('dialog').getByText('If a variation does harm: notify → stop it').waitFor();
    await confirmReview(page);

    // The page hears of it without a reload.
    const notice = page.getByRole('status').filter({ hasText: 'Stopped by a safe rollout' });
    await notice.getByText(FIGURES).waitFor();
    await page.getByText('Everybody sees “control”. Decision: Roll back to the control.').waitFor();
    await expectUsable(page);
    await notice.getByRole('link', { name: 'Show the history' }).click();
    await page.getByText('safe rollout', { exact: true }).waitFor();
    await page.getByText('because of the results').waitFor();

    await page.goto('/p/shop/split-tests');
    await notice.getByRole('link', { name: 'Harmful headline' }).waitFor();
    await page.goto('/p/shop/overview');
    await notice.getByText(/Stopped automatically\./).waitFor();
    await notice.getByRole('link', { name: 'Harmful headline' }).click();
    await page.waitForURL('**/split-tests/harmful');
  });
});
