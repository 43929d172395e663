import { OWNER } from '@switchyard/testing/server/browser';
import { describe, expect, it } from 'vitest';
import { Dashboard, expectUsable } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({ provision: { properties: [{ id: 'shop' }] }, withoutOwner: true });

describe.skipIf(dashboard.isMissing)('a new installation', () => {
  it('leads from every page to the setup, which is accessible and fits a phone', async () => {
    const page = await dashboard.newPage('/p/shop/flags', null);
    await page.waitForURL('**/setup');
    await page.getByRole('button', { name: 'Create owner' }).waitFor();
    await expectUsable(page);
  });

  it('gets its first owner, who is signed in; there is only one first owner', async () => {
    const [page, late] = [await dashboard.newPage('/', null), await dashboard.newPage('/setup', null)];
    const password = page.getByLabel('Password', { exact: true });
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Name').fill('Ada');
    await password.fill('too short');
    await page.getByRole('button', { name: 'Create owner' }).click();
    expect(await password.evaluate((input: HTMLInputElement) => input.validity.tooShort)).toBe(true);
    await password.fill(OWNER.password);
    await page.getByRole('button', { name: 'Create owner' }).click();
    await page.waitForURL('**/p/shop/overview');
    await page.getByRole('button', { name: 'Account: Ada' }).waitFor();

    await late.getByLabel('Email').fill('late@shop.example');
    await late.getByLabel('Password', { exact: true }).fill(OWNER.password);
    await late.getByRole('button', { name: 'Create owner' }).click();
    await late.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
    await late.waitForURL('**/sign-in');
    dashboard.ignoreProblems(/409.*setup$/);
  });
});
