import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, PHONE } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        goals: [
          { id: 'joined', name: 'Sign-ups', kind: 'count' },
          { id: 'refund', name: 'Refunds', kind: 'count', lowerIsBetter: true },
        ],
        splitTests: [
          {
            key: 'hero',
            name: 'Hero',
            type: 'id',
            variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
            goals: ['joined'],
            guardrails: [{ goalId: 'refund', maxHarm: 0.01 }],
            smallestEffect: 0.02,
          },
        ],
      },
    ],
  },
});

const HERO = '/v1/manage/properties/shop/split-tests/hero';

describe.skipIf(dashboard.isMissing)('the decision rule of a split test', () => {
  it('is shown before the start with a checklist, then fixed; later changes are marked', async () => {
    const page = await dashboard.shopPage('split-tests/hero');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: /^Start split test/ });
    const sentences = sheet.getByRole('list', { name: 'Decision rule' }).getByRole('listitem');
    await sentences.first().waitFor();
    expect((await sentences.allTextContents()).slice(0, 3)).toEqual([
      'We decide by "Sign-ups": the share of visitors who reach it.',
      'A change smaller than 2 % does not matter.',
      '"Refunds" must not get worse by more than 1 %; less is better.',
    ]);
    const goals = sheet.getByRole('list', { name: 'Checklist' }).getByRole('listitem').first();
    expect(await goals.textContent()).toMatch(/^ProblemThe goals have events.*nobody reached "Sign-ups"/);
    const link = goals.getByRole('link', { name: 'Look into it: The goals have events' });
    expect(await link.getAttribute('href')).toBe('/p/shop/goals/joined');
    await expectUsable(page);
    await confirmReview(page, 'Start');

    const panel = page.getByRole('region', { name: 'How this test is decided' });
    await panel.getByText('Fixed at the start, and unchanged since.').waitFor();

    // Saving warns, and the results say it.
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel('Smallest change worth finding').fill('5');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByText('Changes how the split test "hero" is decided, after its start. Smallest effect: 2 % → 5 %.')
      .waitFor();
    await confirmReview(page, 'Save');
    await page.getByRole('tab', { name: 'Results' }).click();
    const changes = panel.getByRole('list', { name: 'Changed after the start' });
    await changes.getByText(/^Smallest effect: 2 % → 5 %$/).waitFor();
    const { name } = (await dashboard.owner.get('/v1/manage/me')).body.account;
    expect(await changes.textContent()).toMatch(new RegExp(`changed after the start, on .* by ${name}$`));
    expect(await panel.textContent()).toContain('A change smaller than 2 % does not matter.');
    await page.setViewportSize(PHONE);
    await expectUsable(page);
  });

  it('does not hold up a start when the checklist cannot be loaded', async () => {
    const copy = { type: 'id', variations: ['a', 'b'].map((key) => ({ key, weight: 1 })) };
    expect((await dashboard.owner.put(HERO.replace('hero', 'other'), copy)).status).toBe(201);
    const page = await dashboard.shopPage('split-tests/other');
    await page.route('**/start-checklist', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: /^Start split test/ });
    await sheet.getByText(/^The checklist could not be loaded/).waitFor();
    await page.unroute('**/start-checklist');
    await sheet.getByRole('button', { name: 'Try again' }).first().click();
    await sheet.getByText('The test has no primary goal, so it has no verdict.').waitFor();
    await confirmReview(page, 'Start');
    dashboard.ignoreProblems(/503/);
  });
});
