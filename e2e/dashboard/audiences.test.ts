import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, saveButton } from '../support/dashboard.ts';

const is = (attribute: string, value: string) => ({ attribute, operator: 'equals', values: [value] });
const running = (key: string, fields: object = {}) => ({
  key,
  type: 'id',
  status: 'running',
  goals: ['signup'],
  variations: ['control', 'family', 'video'].map((it) => ({ key: it, weight: 1 })),
  ...fields,
});

const PRICING_FOR_STAFF = {
  conditions: [is('path', '/pricing'), { operator: 'inSegment', values: ['staff'] }],
};

const dashboard = await Dashboard.open({
  provision: sampleWith({
    segments: [
      {
        id: 'staff',
        name: 'Staff',
        match: 'any',
        conditions: [is('plan', 'staff'), { ...is('email', '@shop.example'), operator: 'endsWith' }],
      },
    ],
    splitTests: [
      running('harmful'),
      running('targeted', { audience: PRICING_FOR_STAFF }),
      running('explained', { audience: PRICING_FOR_STAFF }),
    ],
  }),
});

const visit = (name: string, path: string, plan: string) => ({
  sessionId: `${name}-session`,
  visitorId: name,
  attributes: { plan },
  events: [{ type: 'pageview', url: `https://shop.example${path}` }],
});

const stored = async (key: string) =>
  (await dashboard.owner.get(`/v1/manage/properties/shop/split-tests/${key}`)).body;
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const condition = (page: Page, number: number) =>
  page.getByRole('group', { name: `Condition ${number}`, exact: true });

async function setOperator(page: Page, number: number, name: string): Promise<void> {
  await condition(page, number).getByRole('combobox', { name: 'Operator' }).click();
  await page.getByRole('option', { name, exact: true }).click();
}

describe.skipIf(dashboard.isMissing)('the plan of a split test', () => {
  /** Eight a day. */
  const VISITORS = 224;

  it('is about the visitors of the audience', async () => {
    const shop = new Shop(dashboard.server);
    await accepted(
      ...Array.from({ length: VISITORS }, (_, index) =>
        shop.collect(visit(`planned-${index}`, index % 2 === 0 ? '/pricing' : '/', 'free')),
      ),
    );
    const page = await dashboard.shopPage('split-tests?new=1');
    const audience = part(page, 'Audience and traffic');
    await audience.getByText('About 8 visitors a day take part.').waitFor();
    await page.getByRole('combobox', { name: 'Primary goal' }).click();
    await page.getByRole('option', { name: 'Sign-ups', exact: true }).click();
    await audience.getByRole('radio', { name: 'Only some visitors' }).check();
    await part(page, 'Plan').getByText('A plan needs a complete audience').waitFor();
    await expect.poll(() => audience.getByText('visitors a day').count()).toBe(0);
    await button(page, 'Add condition').click();
    await condition(page, 1).getByLabel('Attribute').fill('path');
    await condition(page, 1).getByLabel('Value', { exact: true }).fill('/pricing');
    await audience
      .getByText(/^The audience is 50\s% of the visitors\. About 4 visitors a day take part\.$/)
      .waitFor();
    await part(page, 'Plan')
      .getByText(/50\s% of the visitors belong to the audience/)
      .waitFor();
    await page.getByLabel('Traffic in percent').fill('50');
    await audience.getByText('About 2 visitors a day take part.').waitFor();
  });
});

describe.skipIf(dashboard.isMissing)('audiences of split tests', () => {
  it('are conditions, with what pages can read and the mistakes of each', async () => {
    const page = await dashboard.shopPage('split-tests?new=1');
    await page.getByLabel('Name').fill('Pricing for some');
    for (const name of ['control', 'b']) await page.getByLabel(`Value of ${name}`).fill(name);
    const audience = part(page, 'Audience and traffic');
    await audience.getByRole('radio', { name: 'Only some visitors' }).check();
    await button(page, 'Add condition').waitFor();
    await saveButton(page).click();
    await audience.getByText('Add a condition, or let all visitors take part').waitFor();
    await button(page, 'Add condition').click();
    await saveButton(page).click();
    await condition(page, 1).getByText('Operator equals requires an attribute').waitFor();
    await condition(page, 1).getByText('Operator equals requires a value').waitFor();
    const suggestions = condition(page, 1).locator('xpath=..').locator('datalist option');
    expect(await suggestions.evaluateAll((all) => all.map((it) => it.getAttribute('value')))).toEqual(
      expect.arrayContaining(['plan', 'path', 'query.', 'utm.source', 'returning', 'hour']),
    );
    await condition(page, 1).getByLabel('Attribute').fill('path');
    await condition(page, 1).getByLabel('Value', { exact: true }).fill('/pricing');
    await audience
      .getByText('Pages contain these conditions: anyone can read path and its values.')
      .waitFor();

    await button(page, 'Add segment').click();
    await condition(page, 2).getByLabel('Segments').fill('Staff');
    await page.keyboard.press('Enter');
    await audience
      .getByText(
        /^Pages contain .*, with those of the segment Staff: anyone can read path, plan and their values\./,
      )
      .waitFor();
    await audience.getByText(/published as hashes only, with which a guess can be checked\.$/).waitFor();

    // Only the server knows: pages have hashes of this attribute.
    await button(page, 'Add condition').click();
    await condition(page, 3).getByLabel('Attribute').fill('userId');
    await setOperator(page, 3, 'is less than');
    await condition(page, 3).getByLabel('Value', { exact: true }).fill('100');
    await saveButton(page).click();
    await condition(page, 3)
      .getByText(/^Compares userId with lessThan: pages get only hashes of it/)
      .waitFor();
    expect(await condition(page, 2).getByRole('alert').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('value'))).toBe('userId');
    dashboard.ignoreProblems(/400/);
    await expectUsable(page);

    await setOperator(page, 3, 'is');
    await condition(page, 3).getByLabel('Value', { exact: true }).fill('u1');
    await saveButton(page).click();
    await confirmReview(page);
    await page.waitForURL('**/split-tests/pricing-for-some');
    await page
      .getByText('Audience: path is /pricing and the visitor is in segment Staff and userId is u1')
      .waitFor();
    expect((await stored('pricing-for-some')).audience).toEqual({
      match: 'all',
      conditions: [is('path', '/pricing'), { operator: 'inSegment', values: ['staff'] }, is('userId', 'u1')],
    });
    await page.getByRole('radio', { name: 'All visitors' }).check();
    await saveButton(page).click();
    await confirmReview(page);
    expect((await stored('pricing-for-some')).audience).toBeUndefined();
  });

  it('open a phase when they change, and are among the uses of a segment', async () => {
    const page = await dashboard.shopPage('split-tests/targeted?tab=edit');
    const audience = part(page, 'Audience and traffic');
    await condition(page, 1).getByLabel('Value', { exact: true }).fill('/plans');
    await audience.getByText('This opens a new phase: the results start over.').waitFor();
    await saveButton(page).click();
    await page
      .getByRole('dialog')
      .getByText(/opens phase 2 of “targeted”/)
      .waitFor();
    await confirmReview(page);
    await page.getByRole('tab', { name: 'Phases & history' }).click();
    const phase = page.getByRole('table', { name: 'Phases' }).getByRole('row').nth(1);
    expect(await phase.textContent()).toMatch(/Another audience.*Only if path is \/plans and.*segment Staff/);
    expect(await phase.textContent()).toContain('Staff: plan is staff or email ends with @shop.example');
    await page.goto('/p/shop/segments');
    const row = page.getByRole('row').filter({ hasText: 'Staff' });
    await row.getByRole('link', { name: 'targeted' }).waitFor();
    expect(await row.textContent()).toContain('audience, running');
  });
});

describe.skipIf(dashboard.isMissing)('explanations', () => {
  async function explain(page: Page, test: string): Promise<void> {
    await page.getByRole('combobox', { name: 'Test or flag' }).click();
    await page.getByRole('option', { name: test, exact: true }).click();
    await button(page, 'Explain').click();
    await page.getByText('Status of the test').waitFor();
  }

  it('show the conditions of the audience', async () => {
    const shop = new Shop(dashboard.server);
    await accepted(
      shop.collect(visit('ada', '/pricing', 'staff')),
      shop.collect(visit('bob', '/pricing', 'free')),
    );
    const page = await dashboard.shopPage('sessions/bob-session');
    await explain(page, 'explained');
    await page.getByText('the visitor does not belong to the audience of the test').waitFor();
    const step = page.getByRole('listitem').filter({ hasText: 'In the audience' }).first();
    expect(await step.textContent()).toContain('all of these must hold');
    await step.getByText('path is /pricing — yes, it is "/pricing"').waitFor();
    await step.getByText(/^the visitor is in segment Staff — no/).waitFor();
    await step.getByText('A browser that has taken part before stays in the test nevertheless.').waitFor();
    await step.getByText('Segments that were looked at').click();
    await step.getByText('plan is staff — no, it is "free"').waitFor();
    await expectUsable(page);
    await page.goto('/p/shop/sessions/ada-session');
    await explain(page, 'explained');
    await page.getByText(/^The visitor sees “.*”: assigned at random/).waitFor();
    await page.getByText('In the audience all of these must hold').waitFor();
  });
});

describe.skipIf(dashboard.isMissing)('a harmful variation', () => {
  beforeAll(async () => {
    const shop = new Shop(dashboard.server);
    for (const [variationKey, count] of Object.entries({ control: 50, family: 52, video: 3 })) {
      const sessions = Array.from({ length: 100 }, (_, index) => `${variationKey}-${index}`);
      await accepted(
        shop.expose(...sessions.map((sessionId) => ({ splitTestKey: 'harmful', variationKey, sessionId }))),
      );
      await accepted(
        ...sessions.slice(0, count).map((sessionId) => shop.increment({ goalId: 'signup', sessionId })),
      );
    }
  });

  it('is retired by the button on the verdict, and nothing starts over', async () => {
    const page = await dashboard.shopPage('split-tests/harmful');
    const verdict = part(page, 'Verdict');
    await verdict.getByText('Next: take "video" out of the test.').waitFor();
    expect(await button(page, 'Retire video').count(), 'on the verdict and as the next action').toBe(2);
    await verdict.getByRole('button', { name: 'Retire video' }).click();
    const sheet = page.getByRole('dialog', { name: 'Retire video in harmful' });
    await sheet
      .getByText(
        'Visitors of “video” see the control from now on and leave the test. Everybody else stays where they are, and nothing starts over.',
      )
      .waitFor();
    await sheet.getByText('Variation “video” retired').waitFor();
    expect(await sheet.getByText('Results start over').count()).toBe(0);
    await expectUsable(page);
    await confirmReview(page, 'Retire', 'It costs sign-ups');
    await part(page, 'Visitors')
      .getByRole('row', { name: /^video retired 100 – – 100/ })
      .waitFor();
    await part(page, 'Visitors')
      .getByRole('row', { name: /^family 100 50\s% 50\s%/ })
      .waitFor();
    await verdict.getByText('Keep "family" going').waitFor();
    expect(await verdict.textContent()).not.toContain('video');
    expect(await button(page, 'Retire video').count()).toBe(0);
    expect(await stored('harmful')).toMatchObject({
      variations: [{ key: 'control' }, { key: 'family' }, { key: 'video', weight: 1, retired: true }],
      phases: [{ number: 1, endedAt: null }],
    });
    await expectUsable(page);

    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Preview links' }).click();
    await page.getByText('?sy_harmful=family').waitFor();
    expect(await page.getByText('?sy_harmful=video').count()).toBe(0);
    await page.keyboard.press('Escape');
    await button(page, 'Stop').click();
    await page.getByRole('radio', { name: 'family' }).waitFor();
    expect(await page.getByRole('radio', { name: 'video' }).count()).toBe(0);
  });

  it('can be brought back, which opens a phase', async () => {
    const page = await dashboard.shopPage('split-tests/harmful?tab=edit');
    const variations = part(page, 'Variations');
    expect(await page.getByLabel('Key of variation 3').isEditable()).toBe(false);
    expect(await page.getByLabel('Weight of video', { exact: true }).inputValue()).toBe('1');
    await variations.getByText('Changed variations or weights open a new phase').waitFor();
    await expectUsable(page);
    await button(page, 'Bring back video').click();
    await variations.getByText('This opens a new phase: the results start over.').waitFor();
    expect(await page.getByLabel('Key of variation 3').isEditable()).toBe(true);
    await button(page, 'Discard').click();
    // A copy is a draft, which cannot have retired variations.
    await page.goto('/p/shop/split-tests?new=1&from=harmful');
    await saveButton(page).click();
    await confirmReview(page);
    await page.waitForURL('**/split-tests/harmful-copy');
    expect(JSON.stringify((await stored('harmful-copy')).variations)).not.toContain('retired');
  });
});
