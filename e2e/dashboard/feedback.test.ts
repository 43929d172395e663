import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityProblems,
  confirmReview,
  Dashboard,
  expectUsable,
  saveButton,
} from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        feedbackTypes: [
          {
            id: 'rating',
            name: 'Rating',
            options: [{ value: 'good', label: 'Very good', color: '#2b8a3e' }, 'bad'],
            textInput: true,
          },
          { id: 'ordered', name: 'Ordered', options: ['one', 'two', 'three'] },
          { id: 'unused', name: 'Unused', options: ['yes', 'no'] },
        ],
        flags: [
          {
            key: 'checkout',
            name: 'New checkout',
            type: 'string',
            defaultValue: 'old',
            environments: {
              production: {
                enabled: true,
                value: 'old',
                rules: [
                  {
                    id: 'r',
                    conditions: [{ attribute: 'plan', operator: 'equals', values: ['pro'] }],
                    value: 'new',
                  },
                ],
              },
            },
          },
        ],
      },
      { id: 'empty', name: 'Empty' },
    ],
  },
});

const ENTRIES = 120;
const stored = async (id: string) =>
  (await dashboard.owner.get(`/v1/manage/properties/shop/feedback-types/${id}`)).body;
const list = (page: Page) => page.getByRole('list', { name: 'Feedback', exact: true });

describe.skipIf(dashboard.isMissing)('feedback in the dashboard', () => {
  beforeAll(async () => {
    if (dashboard.isMissing) return;
    const { body } = await dashboard.owner.post('/v1/manage/properties/shop/keys', {
      kind: 'secret',
      name: 'server',
    });
    const submit = async (feedback: object) => {
      const sent = await dashboard.server.send('POST', '/v1/feedback/submit', {
        key: body.key,
        body: { propertyId: 'shop', feedbackTypeId: 'rating', ...feedback },
      });
      expect(sent.status, sent.text).toBe(200);
    };
    const web = await dashboard.owner.post('/v1/manage/properties/shop/keys', {
      kind: 'public',
      name: 'web',
    });
    const collected = await dashboard.server.send('POST', '/v1/sessions/collect', {
      key: web.body.key,
      body: { propertyId: 'shop', sessionId: 's-1', visitorId: 'v-1', attributes: { plan: 'pro' } },
    });
    expect(collected.status, collected.text).toBe(200);
    await Promise.all(Array.from({ length: ENTRIES }, () => submit({ option: 'bad' })));
    await submit({ option: 'good', message: 'Fast checkout', sessionId: 's-1', metadata: { page: '/pay' } });
    await submit({ message: '=1+1' });
  });

  it('filters entries in the URL, and loads all pages while scrolling', async () => {
    const page = await dashboard.shopPage('feedback');
    const items = list(page).getByRole('listitem');
    await list(page).getByText('Fast checkout').waitFor();
    await page
      .getByText(`${ENTRIES + 2} entries`)
      .first()
      .waitFor();
    await expect
      .poll(async () => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        return items.count();
      })
      .toBe(ENTRIES + 2);
    await page.getByLabel('Search messages').pressSequentially('CHECKOUT');
    await expect.poll(() => items.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('search')).toBe('CHECKOUT');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Show only Very good' }).click();
    await expect.poll(() => items.count()).toBe(1);
    await page.reload();
    await list(page).getByText('Fast checkout').waitFor();
    expect(await items.count()).toBe(1);
  });

  it('filters by the value that a flag had, and says that it is computed', async () => {
    const page = await dashboard.shopPage('feedback');
    const items = list(page).getByRole('listitem');
    await list(page).getByText('Fast checkout').waitFor();
    await page.getByRole('combobox', { name: 'Flag', exact: true }).click();
    await page.getByRole('option', { name: 'New checkout' }).click();
    await expect.poll(() => items.count()).toBe(1);
    await page.getByText('Values of the flag are computed').waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('flagKey'), searchParams.get('flagValue')]).toEqual(['checkout', 'new']);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Flag value' }).click();
    await page.getByRole('option', { name: 'old' }).click();
    await page.getByText('No feedback here').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await list(page).getByText('Fast checkout').waitFor();
  });

  it('shows an entry with the keyboard, and saves its status and notes', async () => {
    const page = await dashboard.shopPage('feedback?option=good');
    const entry = list(page).getByRole('button', { name: /Fast checkout/ });
    await entry.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Rating' });
    await drawer.getByText('/pay').waitFor();
    expect(await drawer.getByRole('link', { name: 's-1' }).getAttribute('href')).toContain('/sessions/s-1');
    await drawer.getByText('No split test before this feedback').waitFor();
    await expectUsable(page);
    await drawer.getByLabel('Notes').fill('Thanked them');
    await page.context().setOffline(true);
    await drawer.getByRole('button', { name: 'Save notes' }).press('Enter');
    await drawer.getByRole('alert').getByText('Cannot reach the server').waitFor();
    await page.context().setOffline(false);
    dashboard.ignoreProblems(/ERR_INTERNET_DISCONNECTED/);
    await drawer.getByRole('button', { name: 'Save notes' }).press('Enter');
    await drawer.getByText('Saved', { exact: true }).waitFor();
    // It changes when it is saved.
    const done = drawer.getByRole('radio', { name: 'Done' });
    await done.press('Space');
    await expect.poll(() => done.isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await list(page).getByText('Done, with notes').waitFor();
    const { body } = await dashboard.owner.get('/v1/feedback?propertyId=shop&option=good');
    expect(body.feedback[0]).toMatchObject({ status: 'done', notes: 'Thanked them' });
    await page.getByRole('radio', { name: 'Done 1' }).waitFor();
  });

  it('does not move the list when the figures above it arrive', async () => {
    const page = await dashboard.shopPage('feedback');
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/feedback\/summary/, async (route) => {
      await released;
      await route.continue();
    });
    await page.reload();
    await list(page).getByRole('listitem').first().waitFor();
    const top = async () => (await list(page).boundingBox())!.y;
    const before = await top();
    release();
    await page.getByText('with text. As of').waitFor();
    await page.getByRole('radio', { name: /^New \d/ }).waitFor();
    expect(await top()).toBe(before);
  });

  it('keeps the list and the notes that are typed when time passes and on a reload', async () => {
    const page = await dashboard.shopPage('feedback');
    // A page that is open would ask for figures of 1970 while the clock is installed.
    await page.goto('about:blank');
    await page.clock.install({ time: Date.now() });
    await page.goto('/p/shop/feedback?option=bad&status=new');
    const items = list(page).getByRole('listitem');
    await items.first().waitFor();
    await page.getByRole('button', { name: 'Show earlier feedback' }).scrollIntoViewIfNeeded();
    await expect.poll(() => items.count()).toBeGreaterThan(50);
    const count = await items.count();
    await items.last().getByRole('button').click();
    const drawer = page.getByRole('dialog', { name: 'Rating' });
    await drawer.getByLabel('Notes').fill('Call them');
    const figures = page.waitForResponse(/feedback\/summary/);
    await page.clock.fastForward(61_000);
    await figures;
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
    expect(await drawer.getByLabel('Notes').inputValue()).toBe('Call them');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await items.count()).toBeGreaterThanOrEqual(count);
    // A draft belongs to its entry.
    await items.first().getByRole('button').click();
    await drawer.getByLabel('Notes').fill('Write to them');
    await page.reload();
    await items.first().getByRole('button').press('Enter');
    await expect.poll(() => drawer.getByLabel('Notes').inputValue()).toBe('Write to them');
    // It leaves the filtered list, but stays open.
    await drawer.getByText('Seen', { exact: true }).click();
    await expect.poll(() => drawer.getByRole('radio', { name: 'Seen' }).isChecked()).toBe(true);
    await drawer.getByRole('button', { name: 'Save notes' }).click();
    await drawer.getByText('Saved', { exact: true }).waitFor();
  });

  it('exports what is filtered as a file that is safe in spreadsheets', async () => {
    const page = await dashboard.shopPage('feedback?hasMessage=true');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    const file = await readFile(await download.path(), 'utf8');
    expect(file).toContain('Fast checkout');
    expect(file).toContain("'=1+1");
    expect(file).not.toContain('bad');
    await page.getByText('Your browser is downloading it').waitFor();
  });

  it('creates a type and lands on it', async () => {
    const page = await dashboard.shopPage('feedback');
    await page.getByRole('button', { name: 'New feedback type' }).click();
    await page.getByLabel('Name').fill('Quick question');
    await page.getByRole('button', { name: 'Add answer' }).click();
    await saveButton(page).click();
    await page.getByText('Must not be empty').waitFor();
    dashboard.ignoreProblems(/400/);
    await page.getByLabel('Value 1').fill('yes');
    await page.getByLabel('Label 1').fill('Yes, please');
    await page.getByLabel('Color 1', { exact: true }).fill('#2b8a3e');
    await page.reload();
    await expect.poll(() => page.getByLabel('Value 1').inputValue()).toBe('yes');
    await saveButton(page).click();
    await confirmReview(page, 'Create');
    await page.waitForURL('**/p/shop/feedback/types/quick-question');
    expect(await stored('quick-question')).toMatchObject({
      options: [{ value: 'yes', label: 'Yes, please', color: '#2b8a3e' }],
      textInput: true,
    });
  });

  it('reorders answers with the keyboard, and deletes a type', async () => {
    const page = await dashboard.shopPage('feedback/types/ordered');
    await page.getByRole('button', { name: 'Move answer 3 up' }).press('Enter');
    const up = page.getByRole('button', { name: 'Move answer 2 up' });
    await expect.poll(() => up.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('Answer 2 is now answer 1 of 3').waitFor();
    await saveButton(page).click();
    await confirmReview(page);
    expect((await stored('ordered')).options).toEqual(['three', 'one', 'two']);
    await page.goto('/p/shop/feedback/types/unused');
    await page.getByRole('button', { name: 'Delete feedback type' }).click();
    await confirmReview(page, 'Delete');
    await page.waitForURL('**/p/shop/feedback');
    expect((await dashboard.owner.get('/v1/manage/properties/shop/feedback-types/unused')).status).toBe(404);
  });

  it('never shows an error as no feedback', async () => {
    const page = await dashboard.shopPage('segments');
    await page.route('**/v1/feedback?*', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto('/p/shop/feedback');
    await page.getByText('Cannot load the feedback').waitFor();
    expect(await page.getByText('No feedback here').count()).toBe(0);
    await page.unroute('**/v1/feedback?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await list(page).getByText('Fast checkout').waitFor();
    dashboard.ignoreProblems(/503/);
  });

  it('lets viewers look, and says why they cannot change anything', async () => {
    const viewer = await dashboard.member('feedback-viewer@shop.example', 'viewer');
    const page = await dashboard.shopPage('feedback?option=good', viewer);
    const create = page.getByRole('button', { name: 'New feedback type' });
    expect(await create.getAttribute('aria-description')).toBe('You need the editor role');
    await list(page).getByRole('button').first().click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('You need the editor role').waitFor();
    expect(await drawer.getByLabel('Notes').isDisabled()).toBe(true);
  });

  it('has no accessibility problems in both themes, and fits a phone', async () => {
    const page = await dashboard.newPage('/p/empty/feedback');
    await page.getByText('No feedback types yet').waitFor();
    await expectUsable(page);
    for (const path of ['feedback', 'feedback?tab=types', 'feedback?new=1', 'feedback/types/rating']) {
      await page.goto(`/p/shop/${path}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expectUsable(page, path);
    }
  });
});
