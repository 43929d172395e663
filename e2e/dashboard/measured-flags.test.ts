import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, saveButton } from '../support/dashboard.ts';

const half = (more: object = {}) => ({ id: 'half', rollout: { percentage: 50 }, value: true, ...more });
const boolean = (key: string, name: string, environment: string, ...rules: object[]) => ({
  key,
  name,
  type: 'boolean',
  defaultValue: false,
  environments: { [environment]: { enabled: true, value: false, rules } },
});

const dashboard = await Dashboard.open({
  provision: sampleWith({
    environments: [{ id: 'live', name: 'Live', protected: true }],
    goals: [{ id: 'refund', name: 'Refund requests', kind: 'count', lowerIsBetter: true }],
    flags: [
      boolean('quick-checkout', 'Quick checkout', 'production', half()),
      boolean('guarded', 'Guarded', 'live', half({ name: 'Half of all', measure: { goals: ['signup'] } })),
      {
        key: 'promo',
        name: 'Promo',
        type: 'string',
        defaultValue: 'none',
        environments: {
          production: {
            enabled: true,
            value: 'none',
            rules: [
              {
                id: 'looks',
                name: 'Looks',
                split: [
                  { key: 'plain', value: 'p', weight: 1 },
                  { key: 'bold', value: 'b', weight: 1 },
                ],
                measure: { goals: ['signup'] },
              },
            ],
          },
        },
      },
    ],
  }),
});

const rulesOf = async (key: string, environment = 'production') => {
  const { body } = await dashboard.owner.get(`/v1/manage/properties/shop/flags/${key}`);
  return body.environments[environment].rules;
};
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** A hundred sessions of each variation, the first of which reach the goal. */
async function play(flagKey: string, ruleId: string, signUps: Record<string, number>): Promise<void> {
  const shop = new Shop(dashboard.server);
  const sessions = (variant: string) =>
    Array.from({ length: 100 }, (_, index) => `${flagKey}-${variant}-${index}`);
  const exposures = Object.keys(signUps).flatMap((variant) =>
    sessions(variant).map((sessionId) => ({ flagKey, ruleId, variant, sessionId })),
  );
  await accepted(shop.post('/v1/flags/usage', { propertyId: 'shop', exposures }));
  for (const [variant, count] of Object.entries(signUps)) {
    const converted = sessions(variant).slice(0, count);
    await accepted(...converted.map((sessionId) => shop.increment({ goalId: 'signup', sessionId })));
  }
}

describe.skipIf(dashboard.isMissing)('a measured flag in the dashboard', () => {
  it('is made in the editor of its rule', async () => {
    const page = await dashboard.shopPage('flags/quick-checkout');
    const measure = page.getByRole('switch', { name: 'Measure' });
    await measure.check();
    await page.getByText(/^Those inside of the percentage \(on\) are compared with those/).waitFor();
    await page.getByText('The Node SDK reports it by itself').waitFor();
    await saveButton(page).click();
    await page.getByText('1 field is not valid; see the messages below.').waitFor();
    dashboard.ignoreProblems(/400/);
    const primary = page.getByRole('combobox', { name: 'Primary goal' });
    expect(await primary.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('Choose a goal', { exact: true }).waitFor();
    await choose(page, 'Primary goal', 'Sign-ups');
    await choose(page, 'Guardrails', 'Refund requests');
    await page.keyboard.press('Escape');
    await field(page, 'Max harm: Refund requests').fill('10');
    await field(page, 'Smallest change worth finding').fill('20');
    await page.getByText(/^No plan yet$/).waitFor();
    await expectUsable(page);
    // What was entered comes back.
    await measure.uncheck();
    expect(await primary.count()).toBe(0);
    await measure.check();
    await saveButton(page).click();
    await page
      .getByRole('dialog')
      .getByText(
        'Production, rule 1: measured by Sign-ups, guardrails Refund requests (harm of at most 10 %), smallest effect 20 %',
      )
      .waitFor();
    await confirmReview(page);
    expect(await rulesOf('quick-checkout')).toEqual([
      half({
        measure: { goals: ['signup'], guardrails: [{ goalId: 'refund', maxHarm: 0.1 }], smallestEffect: 0.2 },
      }),
    ]);
    await page.getByRole('link', { name: /results of the measured rule/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Quick checkout' }).waitFor();
    await page.getByText('Nobody has been counted yet').waitFor();
    await page.getByRole('tab', { name: 'curl' }).click();
    await page.getByText('"record":true').waitFor();
    await expectUsable(page);
  });

  it('has results like a split test, which survive a reload', async () => {
    await play('promo', 'looks', { plain: 20, bold: 70 });
    const seen = Array.from({ length: 5 }, (_, index) => ({
      splitTestKey: 'hero',
      variationKey: 'b',
      sessionId: `promo-bold-${index}`,
    }));
    await accepted(new Shop(dashboard.server).expose(...seen));
    const page = await dashboard.shopPage('flags/promo/results?env=production&rule=looks');
    await page.getByText('Compared: plain (the control: p), bold (b)').waitFor();
    expect(await part(page, 'Verdict').textContent()).toContain('Ship "bold"');
    expect(await part(page, 'Health').textContent()).toContain('Healthy');
    const bold = part(page, 'Primary goal').getByRole('listitem').filter({ hasText: 'bold' });
    expect(await bold.textContent()).toMatch(/70\s%.*\+250\s%.*Better/);
    await page.getByRole('group', { name: /uplift of bold by day/ }).waitFor();
    await part(page, 'Sessions').getByRole('list', { name: 'Sessions: converted' }).waitFor();
    await part(page, 'Phases, method and export').getByText('switchyard verify promo-looks.json').waitFor();
    const download = page.waitForEvent('download');
    await button(page, 'Verdict bundle').click();
    expect((await download).suggestedFilename()).toBe('promo-looks.json');
    await part(page, 'Breakdown').getByRole('combobox', { name: 'Break down by' }).click();
    await page.getByRole('option', { name: 'Device' }).click();
    await part(page, 'Breakdown').getByRole('list', { name: 'Uplift of bold by device' }).waitFor();
    const others = part(page, 'Other tests on the same visitors');
    await others.scrollIntoViewIfNeeded();
    const hero = others
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: 'hero', exact: true }) });
    expect(await hero.textContent()).toMatch(/^hero52\.5\s%Too early$/);
    await expectUsable(page);
    await page.reload();
    await part(page, 'Breakdown').getByRole('list', { name: 'Uplift of bold by device' }).waitFor();
    await page.getByRole('tab', { name: 'Phases & history' }).click();
    const phase = part(page, 'Phases').getByRole('row').nth(1);
    expect(await phase.textContent()).toMatch(/^1The test was started.*plain 50\s%, bold 50\s%$/);
  });

  it('is linked from the results of tests with the same visitors', async () => {
    const page = await dashboard.shopPage('split-tests/hero');
    const others = part(page, 'Other tests on the same visitors');
    await others.scrollIntoViewIfNeeded();
    const row = others.getByRole('row').filter({ has: page.getByRole('img', { name: 'Measured flag' }) });
    await row.getByRole('link', { name: 'Promo (Production, Looks)' }).click();
    await page.getByRole('heading', { level: 1, name: 'Promo' }).waitFor();
  });

  it('stands in lists with an icon', async () => {
    const page = await dashboard.shopPage('split-tests');
    const row = page.getByRole('row').filter({ has: page.getByRole('img', { name: 'Measured flag' }) });
    await row
      .filter({ hasText: /^Promopromo/ })
      .getByText('Ship bold')
      .waitFor();
    const names = await page.getByRole('row').getByRole('link').allTextContents();
    expect(names[0], 'needs a decision').toBe('Promo');
    expect(names.indexOf('hero'), 'the others stay in their order').toBeLessThan(names.indexOf('finished'));
    await expectUsable(page);
    await page.getByRole('searchbox').fill('live half');
    await expect.poll(() => page.getByRole('row').count(), { message: 'with the heading' }).toBe(2);
    await row.getByRole('link', { name: 'Guarded' }).click();
    await page.getByText('Nobody has been counted yet').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).getByRole('combobox').fill('promo looks');
    await page.getByRole('option', { name: 'Promo: Production, Looks Measured flag' }).click();
    await part(page, 'Verdict').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    const running = part(page, 'Running split tests').getByRole('listitem').filter({ hasText: 'Promo' });
    await running.getByRole('img', { name: 'Measured flag' }).waitFor();
    await running.getByText('Needs a decision').waitFor();
  });

  it('is named and explained where a visitor saw it', async () => {
    const page = await dashboard.shopPage('sessions/promo-bold-0');
    const seen = page.getByRole('listitem').filter({ hasText: 'Saw “bold” of Promo' });
    await seen.getByRole('button').click();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Rule 1, Looks/ })
      .waitFor();
  });

  it('says before saving that results start over', async () => {
    const page = await dashboard.shopPage('flags/promo');
    await page.getByRole('link', { name: 'Ship bold: results of the measured rule' }).waitFor();
    await page.getByRole('button', { name: /^Looks: Serve/ }).click();
    await page.getByText(/^The first value is the control/).waitFor();
    await field(page, 'Weight of value 2').fill('2');
    await saveButton(page).click();
    await page
      .getByRole('dialog')
      .getByText(/^This opens phase 2 of measured flag Promo \(Production, Looks\) \(.*weights/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Discard').click();
  });

  it('promotes the winner', async () => {
    const page = await dashboard.shopPage('flags/promo/results?env=production&rule=looks');
    await part(page, 'Verdict').getByRole('button', { name: 'Promote “bold”' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('radio', { name: 'bold' }).isChecked()).toBe(true);
    expect(await dialog.getByLabel('Decision and reason').inputValue()).toMatch(/^Ship "bold"/);
    await expectUsable(page);
    await dialog.getByLabel('Decision and reason').fill('Bold sells more');
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByText('Everybody who matches the rule gets b from now on.').waitFor();
    await dialog.getByText(/no longer measured$/).waitFor();
    await confirmReview(page, 'Promote');
    await part(page, 'Decision').getByText('bold won: everybody who matches gets b').waitFor();
    expect(await rulesOf('promo')).toEqual([{ id: 'looks', name: 'Looks', value: 'b' }]);
    expect(await button(page, 'Choose a winner').count()).toBe(0);
    await page.getByRole('tab', { name: 'Phases & history' }).click();
    await page.getByText('Bold sells more').waitFor();
    await page.getByRole('link', { name: 'Split tests' }).click();
    const row = page.getByRole('row').filter({ hasText: /^Promo/ });
    await row.getByText('Winner: bold').waitFor();
    await row.getByText('Stopped').waitFor();
  });

  it('is kept in the library, and found', async () => {
    const page = await dashboard.shopPage('split-tests?tab=library');
    const entries = part(page, 'Finished tests').getByRole('list').getByRole('listitem');
    const promo = entries.filter({ has: page.getByRole('img', { name: 'Measured flag' }) });
    await promo.waitFor();
    expect(await promo.textContent()).toMatch(
      /^Promo \(Production, Looks\)Shippedbold"bold" did better: \+250 %, .*200 visitors\+50 converted while it ran$/,
    );
    await part(page, 'What finished tests say').getByText('1 of 1 decided test shipped a change').waitFor();
    await expectUsable(page);
    await page.getByRole('searchbox', { name: 'Search finished tests' }).fill('looks');
    await expect.poll(() => entries.count()).toBe(1);
    await promo.getByRole('link', { name: 'Promo (Production, Looks)' }).click();
    await part(page, 'Decision').getByText('bold won: everybody who matches gets b').waitFor();
  });

  it('becomes a proposal in a protected environment', async () => {
    const page = await dashboard.shopPage(
      'flags/guarded/results?env=live&rule=half',
      await dashboard.member('editor@shop.example', 'editor'),
    );
    await button(page, 'Choose a winner').click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Review' }).isDisabled(), 'no winner yet').toBe(true);
    await dialog.getByRole('radio', { name: 'off (control)' }).check();
    await dialog.getByRole('button', { name: 'Review' }).click();
    await dialog.getByText('Live is protected').waitFor();
    await confirmReview(page, 'Propose', 'Costs less');
    await page.getByText('1 proposal waiting').waitFor();
    expect((await rulesOf('guarded', 'live'))[0]).toHaveProperty('measure');
  });

  it('counts evaluations by the service if the settings say so', async () => {
    const page = await dashboard.shopPage('settings?tab=statistics');
    await page.getByRole('switch', { name: 'Count evaluations by the service' }).check();
    await saveButton(page).click();
    await page.getByRole('dialog').getByText('Records evaluations of measured flags').waitFor();
    await confirmReview(page);
    const { body } = await dashboard.owner.get('/v1/manage/properties/shop');
    expect(body.recordEvaluations).toBe(true);
  });

  it('is told from a rule that is not measured', async () => {
    const page = await dashboard.shopPage('flags/promo/results?env=staging&rule=looks');
    await page.getByText('This rule is not measured').waitFor();
  });
});
