import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, saveButton } from '../support/dashboard.ts';

const everywhere = (configuration: object) => ({ production: { enabled: true, ...configuration } });

const dashboard = await Dashboard.open({
  provision: sampleWith({
    flags: [
      {
        key: 'prices',
        name: 'prices',
        type: 'string',
        format: 'json',
        defaultValue: '{}',
        environments: everywhere({
          value: '{}',
          rules: [
            {
              id: 'three',
              split: [
                { value: '{"price":5}', weight: 2 },
                { value: '{"price":7}', weight: 1 },
                { value: '{"price":9}', weight: 1 },
              ],
            },
          ],
        }),
      },
      {
        key: 'colors',
        name: 'colors',
        type: 'string',
        defaultValue: 'gray',
        environments: everywhere({ value: 'gray' }),
      },
      {
        key: 'limit',
        name: 'limit',
        type: 'string',
        format: 'number',
        schema: { minimum: 1 },
        defaultValue: '10',
        environments: everywhere({
          value: '10',
          rules: [
            {
              id: 'tried',
              split: [
                { key: 'low', value: '5', weight: 1 },
                { value: '50', weight: 3 },
              ],
            },
          ],
        }),
      },
      {
        key: 'gradual',
        name: 'gradual',
        type: 'boolean',
        defaultValue: false,
        environments: everywhere({
          value: false,
          rules: [{ id: 'some', rollout: { percentage: 20 }, value: true }],
        }),
      },
    ],
  }),
});

const stored = async (key: string) =>
  (await dashboard.owner.get(`/v1/manage/properties/shop/flags/${key}`)).body;
const storedRule = async (key: string) => (await stored(key)).environments.production.rules[0];
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const share = async (page: Page, position: number) =>
  (await field(page, `Share of value ${position}`).textContent())!.replace('\u00a0', ' ');

const USERS = Array.from({ length: 300 }, (_, index) => `u-${index}`);

/** The variant of every user. */
async function variants(flagKey: string): Promise<Map<string, string>> {
  const shop = new Shop(dashboard.server);
  const found = new Map<string, string>();
  for (const userId of USERS) {
    const { body, status, text } = await shop.post('/v1/flags/evaluate', {
      propertyId: 'shop',
      flagKeys: [flagKey],
      context: { userId },
    });
    expect(status, text).toBe(200);
    const { variant, reason } = body.flags[flagKey];
    expect(reason).toBe('SPLIT');
    found.set(userId, variant);
  }
  return found;
}

const countOf = (all: ReadonlyMap<string, string>, variant: string) =>
  [...all.values()].filter((each) => each === variant).length;

describe.skipIf(dashboard.isMissing)('values of flags in the dashboard', () => {
  it('are JSON that fits a schema, split between visitors', async () => {
    const page = await dashboard.shopPage('flags?new=1');
    await page.getByLabel('Name').fill('Pricing');
    await page.getByRole('radio', { name: 'JSON' }).check();
    expect(await field(page, 'Default value').inputValue()).toBe('{}');
    await field(page, 'Default value').fill('{"price": }');
    await page.getByText(/is not valid JSON$/).waitFor();
    expect(await button(page, 'Format Default value').isDisabled()).toBe(true);
    await field(page, 'Default value').fill('{"price":5}');
    await field(page, 'JSON schema').fill('{"type":"object","properties":{"price":{"type":"dear"}}}');
    await saveButton(page).click();
    await page.getByText(/^Must be one of string, number/).waitFor();
    dashboard.ignoreProblems(/400/);
    await field(page, 'JSON schema').fill('{"type":"object","properties":{"price":{"type":"number"}}}');
    await page.getByText(/^Must be one of/).waitFor({ state: 'detached' });
    await button(page, 'Format JSON schema').click();
    expect(await field(page, 'JSON schema').inputValue()).toContain('\n    "price": {\n');
    await page.getByRole('checkbox', { name: 'Production' }).check();
    await expectUsable(page);
    await saveButton(page).click();
    await confirmReview(page, 'Create', 'Prices to try');
    await page.waitForURL('**/p/shop/flags/pricing');
    expect(await stored('pricing')).toMatchObject({
      type: 'string',
      format: 'json',
      schema: { type: 'object', properties: { price: { type: 'number' } } },
      defaultValue: '{"price":5}',
    });

    await button(page, 'Split').click();
    const addCondition = button(page, 'Add condition');
    await expect.poll(() => addCondition.evaluate((it) => it === document.activeElement)).toBe(true);
    await button(page, 'Add value').click();
    const added = field(page, 'Value 3');
    await expect.poll(() => added.evaluate((it) => it === document.activeElement)).toBe(true);
    await field(page, 'Value 2').fill('{"price":"seven"}');
    await added.fill('{"price":9}');
    await button(page, 'Equal weights').click();
    expect(await share(page, 1)).toBe('33.3 %');
    await field(page, 'Weight of value 1').fill('2');
    expect([await share(page, 1), await share(page, 2)]).toEqual(['50 %', '25 %']);
    await saveButton(page).click();
    await page.getByText('1 field is not valid').waitFor();
    const refused = page
      .getByRole('listitem')
      .filter({ has: field(page, 'Value 2') })
      .last();
    await refused.getByText('Does not fit the schema: /price must be number').waitFor();
    await expectUsable(page);
    await field(page, 'Value 2').fill('{"price":7}');
    await page.getByText('Does not fit the schema').waitFor({ state: 'detached' });
    await saveButton(page).click();
    await page.getByRole('dialog').getByText('Rule 1 added in Production').waitFor();
    await confirmReview(page, 'Save', 'Three prices');
    expect(await storedRule('pricing')).toMatchObject({
      split: [
        { value: '{"price":5}', weight: 2 },
        { value: '{"price":7}', weight: 1 },
        { value: '{"price":9}', weight: 1 },
      ],
    });
    expect(await storedRule('pricing')).not.toHaveProperty('value');
    const served = await variants('pricing');
    for (const [variant, expected] of Object.entries({ 0: 150, 1: 75, 2: 75 })) {
      // The id of the rule is random: this is five standard deviations.
      expect(Math.abs(countOf(served, variant) - expected), variant).toBeLessThan(44);
    }
    expect(await variants('pricing')).toEqual(served);
  });

  it('keep their visitors when weights change, and are explained', async () => {
    const before = await variants('prices');
    const page = await dashboard.shopPage('flags/prices');
    await page.getByRole('button', { name: /^Serve .* to everyone$/ }).click();
    await field(page, 'Weight of value 1').fill('2.5');
    await field(page, 'Weight of value 2').fill('0.5');
    await saveButton(page).click();
    const words = /Production, rule 1: serves .*\(50\s%\).*→.*\(62\.5\s%\).*\(12\.5\s%\)/;
    await page.getByRole('dialog').getByText(words).waitFor();
    await confirmReview(page, 'Save', 'Fewer for 7');
    const after = await variants('prices');
    const moved = USERS.filter((userId) => after.get(userId) !== before.get(userId));
    expect(moved.length).toBeGreaterThan(0);
    for (const userId of moved) expect([before.get(userId), after.get(userId)]).toEqual(['1', '0']);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText(words).first().waitFor();

    const visitor = USERS.find((userId) => after.get(userId) === '2')!;
    await page.getByRole('tab', { name: 'Try it' }).click();
    await field(page, 'Value of userId').fill(visitor);
    await button(page, 'Try it').click();
    await page.getByText('The flag is {"price":9}: rule 1 decided.').waitFor();
    const rule = page.getByRole('listitem').filter({ hasText: /^Rule 1/ });
    await rule.getByText(new RegExp(`^Split by userId: ${visitor} is at \\d+\\.\\d\\d`)).waitFor();
    await rule.getByText('62.50 to 75.00: {"price":7}', { exact: true }).waitFor();
    await rule.getByText('75.00 to 100.00: {"price":9} — served', { exact: true }).waitFor();
    await expectUsable(page);
    await field(page, 'Value of userId').fill('');
    await button(page, 'Try it').click();
    await rule.getByText('Split: the context has nothing to divide visitors by.').waitFor();
    await page.goto('/p/shop/flags?search=prices');
    await page.getByText(/^“\{"price":5\}” \(62\.5\s%\), .* or “\{"price":9\}” \(25\s%\)$/).waitFor();
  });

  it('can become other texts, and tell when they are no numbers', async () => {
    const page = await dashboard.shopPage('flags/colors');
    await page.getByRole('radio', { name: 'Number' }).check();
    await page.getByText('Your code gets a number.').waitFor();
    expect(await page.getByText('Not a number such as 12.5 or -3').count(), 'gray').toBe(2);
    await saveButton(page).click();
    await page.getByText('2 fields are not valid').waitFor();
    dashboard.ignoreProblems(/400/);
    for (const label of ['Default value', 'Serve to everyone']) await field(page, label).fill('-2.5');
    expect(await page.getByText('Not a number').count()).toBe(0);
    await field(page, 'JSON schema').fill('{"maximum": 0');
    await page.getByText(/^Not valid JSON: /).waitFor();
    await field(page, 'JSON schema').fill('{"maximum": 0}');
    await saveButton(page).click();
    await confirmReview(page, 'Save', 'A number now');
    expect(await stored('colors')).toMatchObject({
      format: 'number',
      schema: { maximum: 0 },
      defaultValue: '-2.5',
    });
    await page.getByRole('radio', { name: 'Text' }).check();
    expect(await field(page, 'JSON schema').count()).toBe(0);
    await saveButton(page).click();
    await confirmReview(page, 'Save', 'A text again');
    const flag = await stored('colors');
    expect(flag).not.toHaveProperty('format');
    expect(flag).not.toHaveProperty('schema');
  });

  it('have names, which must differ', async () => {
    const page = await dashboard.shopPage('flags/limit');
    await page.getByRole('button', { name: /^Serve 5 \(25\s%\) or 50 \(75\s%\) to everyone$/ }).click();
    expect(await field(page, 'Variant of value 1').inputValue(), 'shown, because one has a name').toBe('low');
    await field(page, 'Variant of value 1').fill('1');
    await button(page, 'Name the variants').click();
    expect(await field(page, 'Variant of value 1').count()).toBe(0);
    await saveButton(page).click();
    await page.getByText(/^Duplicate variant "1"/).waitFor();
    dashboard.ignoreProblems(/400/);
    await field(page, 'Variant of value 1').fill('');
    await page.getByText(/^Duplicate variant/).waitFor({ state: 'detached' });
    await field(page, 'Weight of value 1').fill('0');
    await field(page, 'Weight of value 2').fill('0');
    await saveButton(page).click();
    await page.getByText('Needs an entry with a weight above 0').waitFor();
    await field(page, 'Weight of value 1').fill('1');
    await page.getByText('Needs an entry').waitFor({ state: 'detached' });
    expect(await button(page, 'Remove value 1').isDisabled(), 'one of two').toBe(true);
    await page.getByRole('radio', { name: 'One value' }).check();
    expect(await field(page, 'Served value').inputValue()).toBe('5');
    await saveButton(page).click();
    await confirmReview(page, 'Save', 'Decided');
    expect(await storedRule('limit')).toEqual({ id: 'tried', value: '5' });
  });

  it('can be split for a percentage of the visitors', async () => {
    const page = await dashboard.shopPage('flags/gradual');
    await field(page, 'To a percentage of everyone').waitFor();
    await button(page, 'Split').click();
    await page
      .getByRole('button', { name: /^Serve true \(50\s%\) or false \(50\s%\) to 20\s% of/ })
      .waitFor();
    expect(await field(page, 'Percentage').inputValue()).toBe('20');
    await page.getByText(/changing weights also changes who belongs to the percentage/).waitFor();
    await expectUsable(page);
    await saveButton(page).click();
    await confirmReview(page, 'Save', 'Half of them');
    expect(await storedRule('gradual')).toEqual({
      id: 'some',
      rollout: { percentage: 20 },
      split: [
        { value: true, weight: 50 },
        { value: false, weight: 50 },
      ],
    });
  });

  it('are shown as code gets them in sessions', async () => {
    const shop = new Shop(dashboard.server);
    await accepted(
      shop.collect({
        sessionId: 'priced-session',
        visitorId: 'priced',
        events: [{ type: 'pageview', url: 'https://shop.example/' }],
      }),
    );
    const page = await dashboard.shopPage('sessions/priced-session');
    const row = page.getByRole('row').filter({ hasText: 'prices' });
    expect(await row.locator('code').textContent()).toMatch(/^\{"price":\d\}$/);
  });
});
