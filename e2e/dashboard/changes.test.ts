import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, saveButton } from '../support/dashboard.ts';

const goal = (id: string, name: string) => ({ id, name, kind: 'count' });

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        goals: [goal('signup', 'Sign-ups'), goal('missed', 'Missed'), goal('new', 'Fresh')],
      },
    ],
  },
});

const SHOP = '/v1/manage/properties/shop';
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const connectionLost = (page: Page) => page.getByText('The connection is lost');

async function rename(path: string, name: string): Promise<void> {
  const headers = { 'if-match': '*' };
  const { status, text } = await dashboard.owner.call('PATCH', SHOP + path, { body: { name }, headers });
  expect(status, text).toBe(200);
}

/** Requests wait until they are let through; with a response, that is the one of the moment when they were sent. */
async function hold(page: Page, url: string, method: string, getsResponse = false) {
  let release!: () => void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let onHeld!: () => void;
  const held = new Promise<void>((resolve) => {
    onHeld = resolve;
  });
  await page.route(url, async (route: Route) => {
    if (route.request().method() !== method) return route.fallback();
    const response = getsResponse ? await route.fetch() : undefined;
    onHeld();
    await released;
    return response ? route.fulfill({ response }) : route.continue();
  });
  return { held, release };
}

describe.skipIf(dashboard.isMissing)('changes of others', () => {
  it('arrive again after the server could not answer', async () => {
    const page = await dashboard.shopPage('goals/signup');
    await heading(page, 'Sign-ups').waitFor();
    await page.route('**/stream', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.reload();
    await connectionLost(page).waitFor();
    await connectionLost(page).waitFor({ state: 'hidden' });
    await rename('/goals/signup', 'Registrations');
    await heading(page, 'Registrations').waitFor();
    dashboard.ignoreProblems(/503/);
  });

  it('do not get lost before the stream is open', async () => {
    const page = await dashboard.shopPage('goals/missed');
    const stream = await hold(page, '**/stream', 'GET');
    await page.reload();
    await heading(page, 'Missed').waitFor();
    await stream.held;
    await rename('/goals/missed', 'Not missed');
    stream.release();
    await heading(page, 'Not missed').waitFor();
  });

  it('are not undone by an older response', async () => {
    const page = await dashboard.shopPage('goals/missed');
    await rename('/goals/missed', 'Before');
    await heading(page, 'Before').waitFor();
    const { held, release } = await hold(page, '**/configuration', 'GET', true);
    // Settings are loaded with everything else.
    await rename('', 'Other shop');
    await held;
    await rename('/goals/missed', 'After');
    await heading(page, 'After').waitFor();
    release();
    await page.getByRole('button', { name: /Other shop/ }).waitFor();
    expect(await heading(page, 'After').count()).toBe(1);
  });
});

describe.skipIf(dashboard.isMissing)('the review sheet', () => {
  it('cannot be cancelled while the change is saved', async () => {
    const page = await dashboard.shopPage('goals/signup');
    await page.getByLabel('Name').fill('Slow');
    await saveButton(page).click();
    const sheet = page.getByRole('dialog');
    const button = (name: string) => sheet.getByRole('button', { name, exact: true });
    await sheet.getByText('What changes').waitFor();
    const request = await hold(page, '**/goals/signup', 'PUT');
    await button('Save').click();
    await request.held;
    await sheet.getByText('Saving …').waitFor();
    await page.keyboard.press('Escape');
    expect(await button('Cancel').isDisabled()).toBe(true);
    request.release();
    await sheet.waitFor({ state: 'detached' });
    await page.getByText('No unsaved changes').waitFor();
    await heading(page, 'Slow').waitFor();
  });

  it('says that an id is taken', async () => {
    const page = await dashboard.shopPage('goals?new=1');
    await page.getByLabel('Name').fill('Taken');
    await saveButton(page).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText('What changes').waitFor();
    await dashboard.owner.call('PUT', `${SHOP}/goals/taken`, { body: { name: 'First', kind: 'count' } });
    await sheet.getByRole('button', { name: 'Create' }).click();
    await sheet.getByText('“taken” is taken').waitFor();
    expect(await sheet.getByRole('button', { name: /Continue/ }).count()).toBe(0);
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Another goal has this id').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Taken');
    dashboard.ignoreProblems(/412/);
  });
});

describe.skipIf(dashboard.isMissing)('a draft', () => {
  it('of a new item is not that of an item with the id “new”', async () => {
    const page = await dashboard.shopPage('goals?new=1');
    await page.getByLabel('Name').fill('Unfinished');
    await page.getByText('Unsaved changes').waitFor();
    await page.goto('/p/shop/goals/new');
    await page.getByText('No unsaved changes').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Fresh');
    await page.getByLabel('Name').fill('Changed');
    await saveButton(page).click();
    await confirmReview(page);
    await page.goto('/p/shop/goals?new=1');
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Unfinished');
  });
});
