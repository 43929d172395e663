import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { beforeAll, describe, it } from 'vitest';
import { Dashboard, saveButton } from '../support/dashboard.ts';

const boolean = { type: 'boolean', defaultValue: false };
const VARIATIONS = [
  { key: 'control', weight: 1, value: 'control' },
  { key: 'b', weight: 1, value: 'b' },
];
const splitTest = (key: string, status: string) => ({
  key,
  name: key,
  type: 'id',
  status,
  hashSeed: 'same',
  variations: VARIATIONS,
  goals: ['signup'],
});

const dashboard = await Dashboard.open({
  provision: sampleWith({
    flags: [
      {
        ...boolean,
        key: 'slots',
        name: 'Delivery slots',
        environments: { staging: { enabled: true, value: true }, production: { enabled: true, value: true } },
      },
    ],
    splitTests: [splitTest('waiting', 'draft'), splitTest('going', 'running')],
    segments: [
      {
        id: 'staff',
        name: 'Staff',
        conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@shop.example'] }],
      },
      {
        id: 'unused',
        name: 'Unused',
        conditions: [{ attribute: 'visitorId', operator: 'equals', values: ['nobody'] }],
      },
    ],
  }),
});

describe.skipIf(dashboard.isMissing)('who is affected', () => {
  beforeAll(async () => {
    const shop = new Shop(dashboard.server);
    const events = [{ type: 'pageview', url: 'https://shop.example/' }];
    const visits = Array.from({ length: 8 }, (_, index) =>
      shop.collect({ sessionId: `s${index}`, visitorId: `v${index}`, events }),
    );
    await accepted(...visits);
  });

  it('says that visitors of the property are not those of another environment', async () => {
    const page = await dashboard.shopPage('flags');
    const sheet = page.getByRole('dialog');
    await page.getByRole('switch', { name: /^Delivery slots in Staging/ }).press('Space');
    await sheet
      .getByText('All 8 visitors of the last 7 days would get another value, if they were in Staging.')
      .waitFor();
    await sheet.getByText('Staging: 8 visitors of the property, if they were there').waitFor();
    await sheet.getByText('Production: nobody').waitFor();
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('switch', { name: /^Delivery slots in Production/ }).press('Space');
    await sheet.getByText('would get another value in Production.').waitFor();
  });

  it('counts only visitors who see something else when a test starts or pauses', async () => {
    const page = await dashboard.shopPage('split-tests/waiting');
    const sheet = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await sheet.getByText(/^[1-7] of 8 visitors of the last 7 days would see something else/).waitFor();
    await sheet.getByText(/^[1-7] would see “b” instead of “control”/).waitFor();
    await sheet.getByText('The others see “control”, as today.').waitFor();
    await page.goto('/p/shop/split-tests/going');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await sheet.getByText(/^[1-7] would see “control” instead of “b”/).waitFor();
    await sheet.getByText('For the others nothing changes.').waitFor();
  });

  it('counts the visitors who get another value by a segment, not its new members', async () => {
    const page = await dashboard.shopPage('segments/unused');
    await page.getByLabel('Value', { exact: true }).fill('v0');
    await saveButton(page).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText('None of 8 visitors of the last 7 days would get another value.').waitFor();
    await sheet.getByText('1 enter').waitFor();
  });

  it('shows no figure where nothing is known', async () => {
    const page = await dashboard.shopPage('segments');
    const row = page.getByRole('row').filter({ hasText: 'Staff' });
    await row.getByText('Not known email unknown for all 8 visitors').waitFor();
  });
});
