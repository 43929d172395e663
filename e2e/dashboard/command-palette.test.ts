import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Dashboard, expectUsable } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        flags: [
          {
            key: 'one-click',
            name: 'One click checkout',
            type: 'boolean',
            defaultValue: false,
            tags: ['pay'],
          },
        ],
        segments: [{ id: 'staff', name: 'Staff', conditions: [] }],
        goals: [{ id: 'purchase', name: 'Purchases', kind: 'count' }],
        feedbackTypes: [{ id: 'rating', name: 'Rating', options: ['good', 'bad'] }],
        splitTests: [
          {
            key: 'hero',
            name: 'Large hero',
            type: 'id',
            goals: ['purchase'],
            variations: [
              { key: 'a', weight: 1 },
              { key: 'b', weight: 1 },
            ],
          },
        ],
      },
    ],
  },
});

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const options = (page: Page) => palette(page).getByRole('option');

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await palette(page).waitFor();
  await page.keyboard.type(text);
}

/** Modules that the browser has loaded in advance. */
const isLoaded = (page: Page, ...names: string[]) =>
  page.waitForFunction((all) => {
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
    return all.every((name) => loaded.some((url) => url.includes(`/${name}-`)));
  }, names);

describe.skipIf(dashboard.isMissing)('the command palette', () => {
  it('finds by name, key and tag, and opens with the keyboard', async () => {
    const page = await dashboard.shopPage('overview');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await search(page, 'check one');
    await expect.poll(() => options(page).allTextContents()).toEqual(['One click checkoutFlag']);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/p/shop/flags/one-click');
    for (const [text, path] of [
      ['pay', 'flags/one-click'],
      ['hero', 'split-tests/hero'],
      ['staff', 'segments/staff'],
      ['purchase', 'goals/purchase'],
      ['rating', 'feedback/types/rating'],
    ]) {
      await search(page, text!);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/p/shop/${path}`);
    }
    await search(page, 'v-4711');
    await expect
      .poll(() => options(page).allTextContents())
      .toEqual(['Open visitor v-4711Id', 'Open session v-4711Id']);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/p/shop/visitors/v-4711');
    await search(page, 'no such thing');
    await page.getByText('Nothing found for “no such thing”').waitFor();
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
  });

  it('moves with the arrow keys, and gives the focus back', async () => {
    const page = await dashboard.shopPage('flags');
    const create = page.getByRole('button', { name: 'New flag' });
    await create.focus();
    await page.keyboard.press('/');
    await options(page).first().waitFor();
    const selected = () => palette(page).getByRole('option', { selected: true }).textContent();
    expect(await selected()).toBe('OverviewPage');
    await page.keyboard.press('ArrowDown');
    await expect.poll(selected).toBe('TrafficPage');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(selected).toBe('OverviewPage');
    await expectUsable(page);
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
    await expect.poll(() => create.evaluate((it) => it === document.activeElement)).toBe(true);
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.waitForURL('**/p/shop/overview');
  });

  it('opens pages without the network, from memory', async () => {
    const page = await dashboard.shopPage('flags', undefined, { preloads: true });
    const pages = { History: 'history-page', Settings: 'settings-page', 'One click checkout': 'flag-pages' };
    await isLoaded(page, ...Object.values(pages));
    await page.getByRole('link', { name: 'One click checkout' }).waitFor();
    await page.context().setOffline(true);
    for (const name of Object.keys(pages)) {
      await search(page, name);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    dashboard.ignoreProblems(/ERR_INTERNET_DISCONNECTED/);
  });
});
