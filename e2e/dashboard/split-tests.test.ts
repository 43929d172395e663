import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityProblems, Dashboard, expectUsable } from '../support/dashboard.ts';

const VARIATIONS = [
  { key: 'control', weight: 50, value: 'Buy' },
  { key: 'b', weight: 50, value: 'Get it' },
];
const test = (key: string, fields: object = {}) => ({
  key,
  name: `Test ${key}`,
  type: 'text',
  variations: VARIATIONS,
  goals: ['joined'],
  ...fields,
});
const HERO = { status: 'running', tags: ['home'], owner: 'ada', exclusion: { group: 'home', share: 60 } };

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        goals: [
          { id: 'joined', name: 'Sign-ups', kind: 'count' },
          { id: 'refund', name: 'Refunds', kind: 'count', lowerIsBetter: true },
        ],
        feedbackTypes: [{ id: 'nps', name: 'NPS', options: ['good', 'bad'] }],
        splitTests: [
          test('hero', HERO),
          test('shared'),
          test('guarded', { status: 'running' }),
          test('waiting', { status: 'paused' }),
          test('gone', { status: 'archived' }),
        ],
      },
    ],
  },
});

const read = async (key: string) =>
  (await dashboard.owner.get(`/v1/manage/properties/shop/split-tests/${key}`)).body;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const keyField = (page: Page) => page.getByRole('textbox', { name: 'Key', exact: true });

/** Confirms the review sheet that is open. */
async function confirm(page: Page, title: RegExp, label: string): Promise<void> {
  const sheet = page.getByRole('dialog', { name: title });
  await sheet.getByText('What changes').waitFor();
  await button(page, label).last().click();
  await sheet.waitFor({ state: 'detached' });
}

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

describe.skipIf(dashboard.isMissing)('split tests', () => {
  it('lead from the idea to the decision', async () => {
    const page = await dashboard.shopPage('split-tests');
    await button(page, 'New split test').click();
    await page.getByRole('heading', { level: 1, name: 'New split test' }).waitFor();
    await page.getByLabel('Name').fill('Large büy button!');
    expect(await keyField(page).inputValue()).toBe('large-buy-button');
    await keyField(page).fill('hero');
    await page.getByLabel('Value of control').fill('Buy');
    await page.getByLabel('Value of b').fill('Get it');
    await button(page, 'Add variation').click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('value'))).toBe('c');
    expect(await page.getByLabel('Weight of control', { exact: true }).inputValue()).toBe('33.4');
    await page.getByLabel('Weight of c', { exact: true }).fill('');
    await page.getByLabel('Weight of c', { exact: true }).pressSequentially('50.5');
    await expect.poll(() => page.getByLabel('Share of c', { exact: true }).textContent()).toBe('43.1 %');
    await button(page, 'Distribute evenly').click();
    await expect.poll(() => page.getByLabel('Share of c', { exact: true }).textContent()).toBe('33.3 %');
    await button(page, 'Remove c').click();
    await choose(page, 'Primary goal', 'Sign-ups');
    await page.getByText('not enough data for a plan').waitFor();
    await page.getByLabel('Exclusion group').fill('home');
    await page.getByLabel('Share of the group').fill('50');

    // Known here: the key is taken.
    await button(page, 'Save').click();
    await page.getByText('Another split test has this key').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('value'))).toBe('hero');
    await keyField(page).fill('large-button');
    // Known to the server: the group is too full. Drafts survive a reload.
    await page.reload();
    await button(page, 'Save').click();
    await page
      .getByText(/does not fit: 50 % requested/)
      .first()
      .waitFor();
    await page.getByLabel('Share of the group').fill('40');
    await button(page, 'Save').click();
    await confirm(page, /^Create split test/, 'Save');
    await page.waitForURL('**/split-tests/large-button');
    dashboard.ignoreProblems(/400/);

    await button(page, 'Start').click();
    await confirm(page, /^Start/, 'Start');
    await page.getByText('Phase 1 · day 1').waitFor();
    await button(page, 'Pause').click();
    await confirm(page, /^Pause/, 'Pause');
    await button(page, 'Resume').waitFor();
    await button(page, 'Stop').click();
    await page.getByRole('radio', { name: 'b', exact: true }).check();
    await choose(page, 'Decision', 'Ship the winner');
    await page.getByLabel('Reason and learnings').fill('More sign-ups');
    await button(page, 'Review and stop').click();
    // What was entered stays when the review is cancelled.
    await page.getByRole('dialog', { name: /^Stop split test/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByLabel('Reason and learnings').inputValue()).toBe('More sign-ups');
    await button(page, 'Review and stop').click();
    await confirm(page, /^Stop split test/, 'Stop');
    await page.getByText('Everybody sees “b”').waitFor();
    expect(await read('large-button')).toMatchObject({
      status: 'stopped',
      winner: 'b',
      decision: { outcome: 'ship', reason: 'More sign-ups' },
    });
  });

  it('have guardrails with a margin, and count visitors or users', async () => {
    const page = await dashboard.shopPage('split-tests/guarded?tab=edit');
    await page.getByRole('combobox', { name: 'Guardrails' }).click();
    await page.getByRole('option', { name: 'Refunds', exact: true }).click();
    await page.getByRole('option', { name: 'NPS: fewer “bad”', exact: true }).click();
    await page.keyboard.press('Escape');
    const margin = page.getByLabel('Max harm: Refunds');
    expect(await margin.getAttribute('placeholder')).toBe('5');
    await page.getByText(/How much worse it may get, relative to the control/).waitFor();
    await page.getByLabel('Smallest change worth finding').fill('2');
    expect(await margin.getAttribute('placeholder')).toBe('2');
    await margin.fill('2000');
    await button(page, 'Save').click();
    await page.getByText('Enter a percentage above 0, up to 1000').waitFor();
    await margin.fill('');
    await margin.pressSequentially('1.5');
    const units = page.getByRole('radiogroup', { name: 'Unit' });
    await units.getByRole('radio', { name: 'Count users' }).check();
    await page.getByText(/All devices of a user who signs in count as one/).waitFor();
    await page.getByText('This opens a new phase: the results start over.').waitFor();
    await button(page, 'Save').click();
    const sheet = page.getByRole('dialog', { name: /^Save split test/ });
    await sheet.getByText('Refunds (harm of at most 1.5 %)').waitFor();
    await sheet.getByText(/Counts: visitors → users/).waitFor();
    await confirm(page, /^Save split test/, 'Save');
    const bad = { feedbackType: 'nps', option: 'bad', lowerIsBetter: true };
    expect(await read('guarded')).toMatchObject({
      guardrails: [{ goalId: 'refund', maxHarm: 0.015 }, bad],
      unit: 'user',
      smallestEffect: 0.02,
    });
    // An empty field is the default again, and a goal stays what it was.
    await margin.fill('');
    await page.getByLabel('Max harm: NPS: fewer “bad”').fill('10');
    await button(page, 'Save').click();
    await confirm(page, /^Save split test/, 'Save');
    expect((await read('guarded')).guardrails).toEqual(['refund', { ...bad, maxHarm: 0.1 }]);
    await expectUsable(page);
  });

  it('keep a readable plan while a new one is computed', async () => {
    const page = await dashboard.shopPage('split-tests/guarded?tab=edit');
    await page.getByText(/not enough data for a plan/).waitFor();
    await page.route('**/v1/split-testing/plan?**', () => {});
    await page.getByLabel('Smallest change worth finding').fill('4');
    await page
      .locator('[aria-busy="true"]')
      .getByText(/not enough data for a plan/)
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('that are paused say so on the overview', async () => {
    const page = await dashboard.shopPage('overview');
    const row = page
      .getByRole('region', { name: 'Running split tests' })
      .getByRole('listitem')
      .filter({ hasText: 'Test waiting' });
    await row.getByText('No result yet').waitFor();
    expect(await row.textContent()).toContain('Paused');
  });

  it('of two people, the one who saves last sees both versions', async () => {
    const [first, second] = [
      await dashboard.shopPage('split-tests/shared'),
      await dashboard.shopPage('split-tests/shared'),
    ];
    await second.getByLabel('Name').fill('Second name');
    await first.getByLabel('Name').fill('First name');
    await button(first, 'Save').click();
    await confirm(first, /^Save split test/, 'Save');
    await second.getByText(/Somebody saved a newer version/).waitFor();
    await button(second, 'Save').click();
    const sheet = second.getByRole('dialog');
    await sheet.getByText('First name').first().waitFor();
    expect(await sheet.textContent()).toContain('Second name');
    expect((await read('shared')).name).toBe('First name');
    await sheet.getByRole('radio', { name: 'Yours' }).check();
    await button(second, 'Continue with this version').click();
    await button(second, 'Save').click();
    await confirm(second, /^Save split test/, 'Save');
    expect((await read('shared')).name).toBe('Second name');
    dashboard.ignoreProblems(/412/);
  });

  it('checks JSON while it is typed, and warns before the results start over', async () => {
    const page = await dashboard.shopPage('split-tests?new=1');
    await page.getByText('JSON', { exact: true }).click();
    await page.getByLabel('Value of control').fill('{"title": }');
    await page.getByText(/^Not valid JSON: Unexpected token '}'/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Value of control').fill('{"title": "Hi"}');
    await page.getByText('{"title":"Hi"}').waitFor();

    await page.goto('/p/shop/split-tests/hero?tab=edit');
    await page.getByLabel('Traffic in percent').fill('40');
    await page.getByText('This opens a new phase: the results start over.').waitFor();
    await button(page, 'Discard').click();
    expect(await page.getByRole('combobox', { name: 'Primary goal' }).isDisabled()).toBe(true);
  });

  it('restores an earlier version and keeps preview links for the page of the property', async () => {
    const page = await dashboard.shopPage('split-tests/waiting?tab=edit');
    await page.getByLabel('Name').fill('Renamed');
    await button(page, 'Save').click();
    await confirm(page, /^Save split test/, 'Save');
    await page.getByRole('tab', { name: 'Phases & history' }).click();
    await button(page, 'Restore version 1').click();
    await confirm(page, /^Restore version 1/, 'Restore');
    await page.getByRole('heading', { level: 1, name: 'Test waiting' }).waitFor();
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Preview links' }).click();
    await page.getByLabel('Address of your page').fill('https://shop.example/start?x=1');
    const link = page.getByRole('link', { name: /sy_waiting=b/ });
    expect(await link.getAttribute('href')).toBe('https://shop.example/start?x=1&sy_waiting=b');
  });

  it('are found by name, status, tag and owner, from the address', async () => {
    const page = await dashboard.shopPage('split-tests?tag=home');
    const names = () => page.getByRole('table').getByRole('link').allTextContents();
    await expect.poll(names).toEqual(['Test hero']);
    await page.goto('/p/shop/split-tests?status=archived');
    await expect.poll(names).toEqual(['Test gone']);
    await page.goto('/p/shop/split-tests');
    await page.getByLabel('Search split tests').fill('nothing like this');
    await page.getByText('No split test matches').waitFor();
    expect(page.url()).toContain('search=nothing');
    await button(page, 'Clear filters').click();
    await page.getByRole('link', { name: 'Test hero' }).waitFor();
  });

  it('show an error of the results as an error, and the rest of the list', async () => {
    const page = await dashboard.shopPage('segments');
    await page.route('**/v1/split-testing/results*', (route) =>
      route.fulfill({ status: 400, json: { error: { code: 'x', message: 'The report failed.' } } }),
    );
    await page.getByRole('link', { name: 'Split tests' }).click();
    await page.getByText('Cannot load the results: The report failed.').first().waitFor();
    dashboard.ignoreProblems(/400/);
  });

  it('stay as they are when saving fails, and the draft is kept', async () => {
    const page = await dashboard.shopPage('split-tests/hero?tab=edit');
    await page.getByLabel('Description').fill('Not lost');
    await button(page, 'Save').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.context().setOffline(true);
    await button(page, 'Save').click();
    await page.getByText('Cannot reach the server').waitFor();
    await page.context().setOffline(false);
    await page.reload();
    expect(await page.getByLabel('Description').inputValue()).toBe('Not lost');
    dashboard.ignoreProblems(/ERR_INTERNET_DISCONNECTED|Failed to load/);
  });

  it('cannot be changed by a viewer, who is told why', async () => {
    const viewer = await dashboard.member('viewer@shop.example', 'viewer');
    const page = await dashboard.shopPage('split-tests/hero?tab=edit', viewer);
    await page.getByText('You need the editor role to change split tests.').first().waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    await button(page, 'Stop').click({ force: true });
    expect(await button(page, 'Stop').getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await button(page, 'Pause').focus();
    await page.getByRole('tooltip', { name: 'You need the editor role' }).waitFor();
  });

  it.each([
    ['split-tests', 'Test hero'],
    ['split-tests?new=1', 'What your code gets'],
    ['split-tests/hero?tab=edit', 'What your code gets'],
    ['split-tests/hero?tab=history', 'Current version'],
  ])('%s is accessible in both themes and fits a phone', async (path, content) => {
    const page = await dashboard.shopPage(path);
    await page.getByText(content).first().waitFor();
    await expectUsable(page);
  });

  it('are accessible with the dialog that stops them', async () => {
    const page = await dashboard.shopPage('split-tests/hero');
    await button(page, 'Stop').click();
    await page.getByRole('dialog').getByLabel('Reason and learnings').waitFor();
    await expectUsable(page);
  });

  it('can be started with the keyboard alone', async () => {
    await dashboard.owner.call('PUT', '/v1/manage/properties/shop/split-tests/keys', {
      body: test('keys'),
    });
    const page = await dashboard.shopPage('split-tests/keys');
    await button(page, 'Start').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    for (let count = 0; count < 40 && (await focused()) !== 'Start'; count++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('What changes').waitFor();
    await page.keyboard.press('Tab');
    for (let count = 0; count < 10 && (await focused()) !== 'Start'; count++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await button(page, 'Pause').waitFor();
    expect((await read('keys')).status).toBe('running');
  });
});
