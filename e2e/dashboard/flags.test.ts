import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, saveButton } from '../support/dashboard.ts';
import { FLAGS, rule } from '../support/flag-samples.ts';

const dashboard = await Dashboard.open({ provision: FLAGS });

const flag = async (key: string) =>
  (await dashboard.owner.get(`/v1/manage/properties/shop/flags/${key}`)).body;

describe.skipIf(dashboard.isMissing)('flags in the dashboard', () => {
  it('creates a flag, lands on it, and adds a rule', async () => {
    const page = await dashboard.shopPage('flags');
    await page.getByRole('button', { name: 'New flag' }).click();
    await page.getByRole('heading', { level: 1, name: 'New flag' }).waitFor();
    await page.getByLabel('Name').fill('Quick checkout');
    expect(await page.getByLabel('Key').inputValue()).toBe('quick-checkout');
    await saveButton(page).click();
    await confirmReview(page, 'Create');
    await page.waitForURL('**/p/shop/flags/quick-checkout');
    await page.getByRole('heading', { level: 1, name: 'Quick checkout' }).waitFor();

    await page.getByRole('button', { name: 'Add rule' }).click();
    const addCondition = page.getByRole('button', { name: 'Add condition' });
    await expect.poll(() => addCondition.evaluate((it) => it === document.activeElement)).toBe(true);
    await addCondition.click();
    // What is missing is marked at its fields, and nothing is saved.
    await saveButton(page).click();
    await page.getByText('Operator equals requires an attribute').waitFor();
    await page.getByText('Operator equals requires a value').waitFor();
    await page.getByLabel('Attribute').fill('plan');
    await page.getByLabel('Value', { exact: true }).fill('pro');
    await page.getByText('Operator equals requires').first().waitFor({ state: 'detached' });
    await page.getByText('If plan is pro, serve true').waitFor();
    dashboard.ignoreProblems(/400/);
    await saveButton(page).click();
    await confirmReview(page);
    expect((await flag('quick-checkout')).environments.staging.rules).toMatchObject([
      { conditions: [{ attribute: 'plan', operator: 'equals', values: ['pro'] }], value: true },
    ]);
    await page.getByText('No unsaved changes').waitFor();
  });

  it('keeps a draft over a reload', async () => {
    const page = await dashboard.shopPage('flags/toggled');
    await page.getByLabel('Description').fill('Not saved yet');
    await page.getByText('Unsaved changes').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Not saved yet');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByLabel('Description').inputValue()).toBe('');
  });

  it('switches after a review, and goes back with the reason when that fails', async () => {
    const page = await dashboard.shopPage('flags');
    // While the sheet is open, the page behind it is hidden from assistive technology.
    const state = page.getByRole('switch', { name: /^toggled in Staging/, includeHidden: true });
    expect(await state.isChecked()).toBe(true);
    const sheet = page.getByRole('dialog');
    await state.press('Space');
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.context().setOffline(true);
    await state.press('Space');
    await sheet.getByText('Cannot reach the server').waitFor();
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    expect(await state.isChecked()).toBe(true);
    await page.context().setOffline(false);
    dashboard.ignoreProblems(/ERR_INTERNET_DISCONNECTED/);

    await state.press('Space');
    await sheet.getByText('What changes').waitFor();
    expect(await state.isChecked(), 'not before it is saved').toBe(true);
    await confirmReview(page, 'Switch off');
    await expect.poll(() => state.isChecked()).toBe(false);
    await page.getByText('toggled is off in Staging').waitFor();
    expect((await flag('toggled')).environments.staging.enabled).toBe(false);
  });

  it('says in the list what a flag depends on', async () => {
    const page = await dashboard.shopPage('flags?search=suggestions');
    await page.getByText('true if ordered is true', { exact: true }).waitFor();
    await page.getByText('Off · false for all', { exact: true }).waitFor();
  });

  it('wants a comment in a protected environment', async () => {
    const page = await dashboard.shopPage('flags');
    await page.getByRole('switch', { name: /^toggled in Production/ }).press('Space');
    const sheet = page.getByRole('dialog');
    await sheet.getByText('Add a comment to save in a protected environment').waitFor();
    expect(await sheet.getByRole('button', { name: 'Switch on' }).isDisabled()).toBe(true);
    await confirmReview(page, 'Switch on', 'Launch');
    await expect.poll(async () => (await flag('toggled')).environments.production.enabled).toBe(true);
  });

  it('reorders rules with the keyboard', async () => {
    const page = await dashboard.shopPage('flags/ordered?env=staging');
    const up = (position: number) => page.getByRole('button', { name: `Move rule ${position} up` });
    await up(3).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Rule 3 is now rule 2 of 3').waitFor();
    // The focus moves with the rule, so that pressing again moves it further.
    await expect.poll(() => up(2).evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('Rule 2 is now rule 1 of 3').waitFor();
    await saveButton(page).click();
    await confirmReview(page);
    const { rules } = (await flag('ordered')).environments.staging;
    expect(rules.map(({ id }: { id: string }) => id)).toEqual(['third', 'first', 'second']);
  });

  it('reorders rules by dragging', async () => {
    const page = await dashboard.shopPage('flags/contested?env=staging');
    const handles = page.locator('li [aria-hidden="true"]:has(svg)');
    await handles.first().waitFor();
    const cards = page.getByRole('listitem').filter({ hasText: 'If plan is' });
    const [from, to] = [(await handles.first().boundingBox())!, (await cards.nth(1).boundingBox())!];
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 8, from.y + 20, { steps: 3 });
    await page.mouse.move(from.x + 8, to.y + to.height, { steps: 5 });
    await page.mouse.up();
    await page.getByText('Rule 1 is now rule 2 of 2').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('shows both versions when two people changed the same rules, and loses neither', async () => {
    const page = await dashboard.shopPage('flags/contested?env=staging');
    await page.getByRole('button', { name: 'Move rule 2 up' }).click();
    const { version } = await flag('contested');
    const theirs = { environments: { staging: { rules: [rule('theirs', 'x')] } }, description: 'Theirs' };
    const changed = await dashboard.owner.call('PATCH', '/v1/manage/properties/shop/flags/contested', {
      body: theirs,
      headers: { 'if-match': `"${version}"` },
    });
    expect(changed.status, changed.text).toBe(200);
    await page.getByText('Somebody saved a newer version').waitFor();
    await saveButton(page).click();
    await page.getByText('Somebody else changed this meanwhile').waitFor();
    await page.getByRole('radio', { name: 'Yours' }).check();
    await page.getByRole('button', { name: 'Continue with this version' }).click();
    dashboard.ignoreProblems(/412/);
    await page.getByText('based on the newest version').waitFor();
    await saveButton(page).click();
    await confirmReview(page);
    const { environments: saved, description } = await flag('contested');
    expect(saved.staging.rules.map(({ id }: { id: string }) => id)).toEqual(['second', 'first']);
    expect(description, 'a field that only the other one changed').toBe('Theirs');
  });

  it('tries the flag as it is edited', async () => {
    const page = await dashboard.shopPage('flags/tried?env=staging');
    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('Value of plan').fill('pro');
    const explained = page.waitForResponse('**/explanations');
    await page.getByRole('button', { name: 'Try it', exact: true }).click();
    expect(await (await explained).json()).toMatchObject({ value: true, ruleId: 'only' });

    await page.getByRole('tab', { name: 'Environments' }).click();
    await page.getByRole('button', { name: 'More for rule 1' }).click();
    await page.getByRole('menuitem', { name: 'Switch off' }).click();
    await page.getByRole('tab', { name: 'Try it' }).click();
    expect(await page.getByLabel('Value of plan').inputValue()).toBe('pro');
    const withDraft = page.waitForResponse('**/explanations');
    await page.getByRole('button', { name: 'Try it', exact: true }).click();
    expect(await (await withDraft).json()).toMatchObject({ value: false, reason: 'STATIC' });
    expect((await flag('tried')).version, 'nothing is saved').toBe(1);
  });

  it('compares environments and promotes one to the other', async () => {
    const page = await dashboard.shopPage('flags/promoted?tab=compare&from=staging&to=production');
    await page.getByText('lines differ').waitFor();
    await page.getByRole('cell', { name: '1. If plan is a, serve true' }).waitFor();
    await page.getByRole('button', { name: 'Promote Staging to Production' }).click();
    await confirmReview(page, 'Promote');
    await page.getByText('Staging and Production are the same').waitFor();
    const { staging, production } = (await flag('promoted')).environments;
    expect({ ...production, id: '' }).toEqual({ ...staging, id: '' });
  });

  it('deletes a flag and returns to the list', async () => {
    const page = await dashboard.shopPage('flags/deleted');
    await page.getByRole('button', { name: 'Delete flag' }).click();
    await confirmReview(page, 'Delete', 'Not needed any more');
    await page.waitForURL('**/p/shop/flags');
    expect(await page.getByRole('link', { name: 'deleted', exact: true }).count()).toBe(0);
  });

  it('has few of 1,000 rows in the document, and finds each of them', async () => {
    const page = await dashboard.newPage('/p/large/flags');
    const rows = page.getByRole('row');
    await page.getByRole('link', { name: 'flag-0', exact: true }).waitFor();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('1001');
    expect(await rows.count()).toBeLessThan(60);
    await page.getByLabel('Search flags').fill('flag-777');
    await expect.poll(() => rows.count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('search')).toBe('flag-777');
    await page.getByLabel('Search flags').fill('');
    await page.keyboard.press('End');
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.getByRole('link', { name: 'flag-999', exact: true }).waitFor();
    expect(await rows.count()).toBeLessThan(60);
  });

  it('says which columns could not be loaded', async () => {
    const page = await dashboard.shopPage('goals');
    await page.route('**/history?*', (route) => route.fulfill({ status: 403, json: {} }));
    await page.getByRole('link', { name: 'Flags' }).click();
    await page.getByRole('alert').getByText('Cannot load when flags were changed').waitFor();
    expect(await page.getByRole('row').last().textContent()).toContain('Not loaded');
    dashboard.ignoreProblems(/403/);
  });

  it('lets viewers look, and says why they cannot change anything', async () => {
    const viewer = await dashboard.member('flag-viewer@shop.example', 'viewer');
    const page = await dashboard.shopPage('flags', viewer);
    expect(await page.getByRole('button', { name: 'New flag' }).isDisabled()).toBe(true);
    const state = page.getByRole('switch', { name: 'ordered in Staging' });
    await state.press('Space');
    expect(await state.getAttribute('aria-description')).toBe('You need the editor role');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('link', { name: 'ordered', exact: true }).click();
    await page.getByText('You need the editor role').first().waitFor();
    expect(await page.getByLabel('Description').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Add rule' }).isDisabled()).toBe(true);
  });

  it('has no accessibility problems in both themes, and fits a phone', async () => {
    const page = await dashboard.shopPage('flags');
    await page.getByRole('row').nth(2).waitFor();
    await expectUsable(page);
    await page.getByRole('switch', { name: /^ordered in Production/ }).press('Space');
    await page.getByRole('dialog').getByText('Who is affected').waitFor();
    await expectUsable(page, 'review sheet');
    for (const path of [
      'flags?new=1',
      'flags/ordered?env=staging',
      'flags/ordered?tab=try',
      'flags/ordered?tab=compare',
    ]) {
      await page.goto(`/p/shop/${path}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      const expand = page.getByRole('button', { name: 'Expand all' });
      if (path.endsWith('staging')) await expand.click();
      await expectUsable(page, path);
    }
  });
});
