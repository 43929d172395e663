import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, Shop } from '@switchyard/testing/fixtures/shop';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, PHONE } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        apiKeys: [{ kind: 'public', key: PUBLIC_KEY }],
        allowedOrigins: ['https://shop.example'],
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

  it('shows at a traffic of 0 % which variations were opened by their preview links', async () => {
    const draft = {
      type: 'id',
      variations: ['a', 'b'].map((key) => ({ key, weight: 1 })),
      trafficAllocation: 0,
    };
    const path = HERO.replace('hero', 'looked-at');
    expect((await dashboard.owner.put(path, { ...draft, status: 'running' })).status).toBe(201);
    const shop = new Shop(dashboard.server);
    const open = (variation: string) =>
      accepted(
        shop.collect({
          sessionId: 's',
          visitorId: 'v',
          events: [{ type: 'pageview', url: `https://shop.example/?sy_looked-at=${variation}` }],
        }),
      );
    await open('a');
    const page = await dashboard.shopPage('split-tests/looked-at');
    const panel = page.getByRole('region', { name: 'Before you raise the traffic' });
    const split = panel.getByRole('listitem').filter({ hasText: 'The split works' });
    await split.getByText(/^Not opened by a preview link in this phase: "b"\./).waitFor();
    await panel.getByRole('button', { name: 'Open previews' }).click();
    const links = page.getByRole('dialog', { name: /^Preview/ });
    expect(await links.getByRole('link', { name: /sy_looked-at=b$/ }).count()).toBe(1);
    await page.keyboard.press('Escape');
    await links.waitFor({ state: 'hidden' });
    await open('b');
    await panel.getByRole('button', { name: 'Check again' }).click();
    await split.getByText('Each of the 2 variations was opened by its preview link in this phase.').waitFor();
    expect(await split.textContent()).toMatch(/^OK/);
    await page.setViewportSize(PHONE);
    await expectUsable(page);
    const manager = new PropertyManager(dashboard.owner);
    bodyOf(await manager.patch('/split-tests/looked-at', { trafficAllocation: 100 }, '*'));
    await page.reload();
    await page.getByText('No visitor has seen this test yet').waitFor();
    expect(await panel.count()).toBe(0);
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
