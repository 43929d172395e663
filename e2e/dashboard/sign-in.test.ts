import { describe, expect, it } from 'vitest';
import { OWNER } from '../../packages/server/src/testing/browser.ts';
import { Dashboard } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({ provision: { properties: [{ id: 'shop', name: 'Shop' }] } });

describe.skipIf(dashboard.isMissing)('signing in', () => {
  it('asks for email and password and returns to the page that was wanted', async () => {
    const page = await dashboard.newPage('/p/shop/flags?search=x', null);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password', { exact: true }).fill(OWNER.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/p/shop/flags?search=x');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Flags');
    dashboard.ignoreProblems(/401/);
  });

  it('says that it failed, without saying what was wrong', async () => {
    const page = await dashboard.newPage('/sign-in', null);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('wrong');
    dashboard.ignoreProblems(/401/);
  });

  it('asks again when the session has expired, and goes on where it was', async () => {
    const client = await dashboard.member('expired@shop.example', 'viewer');
    const page = await dashboard.shopPage('overview', client);
    await page.getByRole('link', { name: 'Flags' }).waitFor();
    await client.post('/v1/manage/sign-out');
    await page.getByRole('button', { name: /^Account/ }).waitFor();
  });
});
