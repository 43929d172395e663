import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, saveButton } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: sampleWith({
    flags: [
      {
        key: 'search',
        name: 'New search',
        type: 'boolean',
        defaultValue: false,
        environments: {
          production: {
            enabled: true,
            value: false,
            rules: [
              {
                id: 'half',
                value: true,
                rollout: { percentage: 50, schedule: [{ at: '2099-01-01T00:00:00Z', percentage: 100 }] },
              },
            ],
          },
        },
      },
    ],
  }),
});

const PATH = '/v1/manage/properties/shop/flags/search';
const rollout = async () => {
  const { body } = await dashboard.owner.get(PATH);
  return body.environments.production.rules[0].rollout;
};

/** Of 200 inside and 200 outside on average, 5 % and 50 % sign up. */
async function visit(): Promise<void> {
  const shop = new Shop(dashboard.server);
  await Promise.all(
    Array.from({ length: 400 }, async (_, index) => {
      const userId = `user-${index}`;
      const { body } = await shop.evaluate({ context: { userId }, flagKeys: ['search'], record: true });
      if (index % 20 >= (body.flags.search.value === true ? 1 : 10)) return;
      await accepted(shop.collect({ sessionId: `s-${index}`, visitorId: `v-${index}`, userId }));
      await accepted(shop.increment({ goalId: 'signup', sessionId: `s-${index}` }));
    }),
  );
}

describe.skipIf(dashboard.isMissing)('a rollout with guardrails', () => {
  it('is set up in the editor; the flag and the overview say what became of it', async () => {
    const page = await dashboard.shopPage('flags/search');
    await page.getByRole('combobox', { name: 'Guardrails', exact: true }).click();
    await page.getByRole('option', { name: 'Sign-ups', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Max harm: Sign-ups', { exact: true }).fill('2');
    await page.getByLabel('Minimum visitors', { exact: true }).fill('1000');
    await page.getByLabel('Waits for at most', { exact: true }).fill('7');
    await expectUsable(page);
    await saveButton(page).click();
    await page
      .getByRole('dialog')
      .getByText(/guardrails of the rollout none → Sign-ups \(harm of at most 2 %\)/)
      .waitFor();
    await confirmReview(page);
    const state = page.getByRole('status', { name: 'State of the rollout of half' });
    await state.getByText(/At 50\s?%, 100\s?% from .* if nothing gets worse\. No harm is proven/).waitFor();
    expect(await rollout()).toMatchObject({
      percentage: 50,
      guardrails: [{ goalId: 'signup', maxHarm: 0.02 }],
      minVisitors: 1000,
      maxWaitDays: 7,
    });

    await page.getByRole('link', { name: 'Guarded: results of the measured rule' }).waitFor();

    await visit();
    const replay = page.getByRole('button', { name: 'What would they have done so far?' });
    await replay.click();
    const phases = page.getByRole('list', { name: 'What these guardrails would have done' });
    await phases.getByText(/^50\s?%, from .*: roll back\. Sign-ups got worse/).waitFor();
    // A changed flag is looked at anew.
    bodyOf(await new PropertyManager(dashboard.owner).patch('/flags/search', { description: 'Faster' }, '*'));
    const notice = page.getByRole('status').filter({ hasText: 'Rolled back by a safe rollout' });
    await notice.getByText(/Rolled back from 50 % to 0 %\. Sign-ups got worse: \d+\s% → \d+\s%, /).waitFor();
    expect(await rollout()).toEqual({ percentage: 0 });
    await expectUsable(page);
    await notice.getByRole('link', { name: 'Show the history' }).click();
    await page.getByText('safe rollout', { exact: true }).waitFor();
    await page.goto('/p/shop/overview');
    const overview = page.getByRole('status').filter({ hasText: 'Rollouts that stopped themselves' });
    await overview.getByRole('link', { name: 'New search' }).click();
    await page.waitForURL('**/flags/search**');
    await page.getByRole('link', { name: /results of the measured rule/ }).click();
    const part = (name: string) => page.getByRole('region', { name, exact: true });
    await part('Verdict')
      .getByText(/^Rolled back from 50 % to 0 %\. Sign-ups got worse/)
      .waitFor();
    expect(await part('Guardrails').getByText('Harmed').count()).toBeGreaterThan(0);
    await part('Decision').getByText('The history of the flag').waitFor();
    await expectUsable(page);
  });
});
