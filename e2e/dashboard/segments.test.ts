import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, saveButton } from '../support/dashboard.ts';

const plan = (value: string) => ({ attribute: 'plan', operator: 'equals', values: [value] });
const rule = (id: string, segment: string) => ({
  id,
  conditions: [{ operator: 'inSegment', values: [segment] }],
  value: true,
});

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        environments: [{ id: 'production', name: 'Production' }],
        segments: [
          { id: 'staff', name: 'Staff', conditions: [plan('staff')] },
          { id: 'testers', name: 'Testers', conditions: [{ operator: 'inSegment', values: ['staff'] }] },
          { id: 'unused', name: 'Unused', conditions: [plan('old')] },
          { id: 'contested', name: 'Contested', conditions: [plan('a')] },
        ],
        flags: [
          {
            key: 'new-checkout',
            name: 'New checkout',
            type: 'boolean',
            defaultValue: false,
            environments: {
              production: { enabled: true, value: false, rules: [rule('one', 'staff')] },
            },
          },
        ],
      },
      { id: 'empty', name: 'Empty' },
    ],
  },
});

const stored = async (id: string) =>
  (await dashboard.owner.get(`/v1/manage/properties/shop/segments/${id}`)).body;

describe.skipIf(dashboard.isMissing)('segments in the dashboard', () => {
  it('lists segments with where they are used and how many visitors match', async () => {
    const page = await dashboard.shopPage('segments');
    const row = page.getByRole('row').filter({ hasText: 'plan is staff' });
    await row.getByRole('link', { name: 'New checkout' }).waitFor();
    await row.getByText('in Production (rule 1)').waitFor();
    await row.getByRole('link', { name: 'Testers' }).waitFor();
    await row.getByText('no visitors').waitFor();
  });

  it('searches while typing, also in the middle of the words', async () => {
    const page = await dashboard.shopPage('segments');
    const search = page.getByLabel('Search segments');
    await search.pressSequentially('uned');
    await page.getByText('No segment matches').waitFor();
    await search.press('ArrowLeft');
    await search.press('ArrowLeft');
    await search.pressSequentially('us', { delay: 50 });
    expect(await search.inputValue()).toBe('unused');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(page.url()).toContain('search=unused');
  });

  it('creates a segment with the keyboard, lands on it, and shows who is affected', async () => {
    const page = await dashboard.shopPage('segments');
    await page.getByRole('button', { name: 'New segment' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New segment' }).waitFor();
    await page.keyboard.type('Big spenders');
    expect(await page.getByLabel('Id').inputValue()).toBe('big-spenders');
    await page.getByRole('button', { name: 'Add condition' }).press('Enter');
    const attribute = page.getByLabel('Attribute');
    await expect.poll(() => attribute.evaluate((it) => it === document.activeElement)).toBe(true);
    // What is missing is marked at its field.
    await saveButton(page).press('Enter');
    await page.getByText('requires an attribute').waitFor();
    dashboard.ignoreProblems(/400/);
    await attribute.fill('plan');
    await page.getByLabel('Value', { exact: true }).fill('pro');
    await page.getByText('A visitor belongs to it if plan is pro.').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Big spenders');
    await saveButton(page).press('Enter');
    await page.getByRole('dialog').getByText('Who is affected').waitFor();
    await confirmReview(page, 'Create');
    await page.waitForURL('**/p/shop/segments/big-spenders');
    expect(await stored('big-spenders')).toMatchObject({ name: 'Big spenders', conditions: [plan('pro')] });
    await page.getByText('version 1').waitFor();
  });

  it('refuses an id that is taken', async () => {
    const page = await dashboard.shopPage('segments?new=1');
    await page.getByLabel('Name').fill('Staff');
    await page.getByText('Another segment has this id').waitFor();
    expect(await saveButton(page).isDisabled()).toBe(true);
  });

  it('shows both versions when two people changed the same conditions', async () => {
    const page = await dashboard.shopPage('segments/contested');
    await page.getByLabel('Value', { exact: true }).fill('mine');
    const { version } = await stored('contested');
    await dashboard.owner.call('PATCH', '/v1/manage/properties/shop/segments/contested', {
      body: { conditions: [plan('theirs')], name: 'Renamed' },
      headers: { 'if-match': `"${version}"` },
    });
    await page.getByText('Somebody saved a newer version').waitFor();
    await saveButton(page).click();
    await page.getByText('Somebody else changed this meanwhile').waitFor();
    await page.getByRole('radio', { name: 'Yours' }).check();
    await page.getByRole('button', { name: 'Continue with this version' }).click();
    dashboard.ignoreProblems(/412/);
    await saveButton(page).click();
    await confirmReview(page);
    expect(await stored('contested')).toMatchObject({ name: 'Renamed', conditions: [plan('mine')] });
  });

  it('deletes only what nothing uses', async () => {
    const page = await dashboard.shopPage('segments/staff');
    const remove = page.getByRole('button', { name: 'Delete segment' });
    expect(await remove.getAttribute('aria-description')).toBe('It is still in use, see above');
    await page.goto('/p/shop/segments/unused');
    await remove.click();
    await confirmReview(page, 'Delete');
    await page.waitForURL('**/p/shop/segments');
    expect((await dashboard.owner.get('/v1/manage/properties/shop/segments/unused')).status).toBe(404);
  });

  it('says why visitors could not be counted, and keeps the draft when the server cannot save', async () => {
    const page = await dashboard.shopPage('segments/testers');
    await page.getByText('0 of 0 visitors').waitFor();
    await page.getByLabel('Name').fill('Beta testers');
    await saveButton(page).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.context().setOffline(true);
    await saveButton(page).click();
    await page.getByRole('dialog').getByText('Cannot reach the server').first().waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Beta testers');
    await page.context().setOffline(false);
    dashboard.ignoreProblems(/ERR_INTERNET_DISCONNECTED/);
    await page.route('**/impact', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto('/p/shop/segments');
    await page.getByText('Not known: The server cannot answer').first().waitFor();
    dashboard.ignoreProblems(/503/);
  });

  it('lets viewers look, and says why they cannot change anything', async () => {
    const viewer = await dashboard.member('segment-viewer@shop.example', 'viewer');
    const page = await dashboard.shopPage('segments', viewer);
    const create = page.getByRole('button', { name: 'New segment' });
    expect(await create.getAttribute('aria-description')).toBe('You need the editor role');
    await page.getByRole('link', { name: 'Staff', exact: true }).click();
    await page.getByText('You need the editor role').waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    expect(await saveButton(page).isDisabled()).toBe(true);
  });

  it('has no accessibility problems in both themes, and fits a phone', async () => {
    const page = await dashboard.newPage('/p/empty/segments');
    await page.getByText('No segments yet').waitFor();
    await expectUsable(page);
    for (const path of ['segments', 'segments?new=1', 'segments/staff']) {
      await page.goto(`/p/shop/${path}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expectUsable(page, path);
    }
  });
});
