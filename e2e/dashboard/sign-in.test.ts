import { OWNER } from '@switchyard/testing/server/browser';
import { describe, expect, it } from 'vitest';
import { Dashboard, expectUsable, signIn } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({ provision: { properties: [{ id: 'shop', name: 'Shop' }] } });

describe.skipIf(dashboard.isMissing)('signing in', () => {
  it('asks for email and password and returns to the page that was wanted', async () => {
    const page = await dashboard.newPage('/p/shop/flags?search=x', null);
    await signIn(page, OWNER.email, OWNER.password);
    await page.waitForURL('**/p/shop/flags?search=x');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Flags');
  });

  it('says that it failed, without saying what was wrong', async () => {
    const page = await dashboard.newPage('/sign-in', null);
    await signIn(page, OWNER.email, 'wrong');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('wrong');
    dashboard.ignoreProblems(/401.*sign-in$/);
  });

  it('asks again when the session has expired, and goes on where it was', async () => {
    const email = 'expired@shop.example';
    const client = await dashboard.member(email, 'viewer');
    const page = await dashboard.shopPage('overview', client);
    await page.getByRole('link', { name: 'Flags' }).waitFor();
    await client.post('/v1/manage/sign-out');
    await page.goto('/p/shop/flags?search=x');
    await signIn(page, email, `the password of ${email}`);
    await page.waitForURL('**/p/shop/flags?search=x');
    await page.getByRole('button', { name: `Account: ${email}` }).waitFor();
    // The browser cannot know before it asks; the page before may have asked for its figures.
    dashboard.ignoreProblems(/401 .*\/v1\//);
  });

  it('is accessible in both themes and fits a phone', async () => {
    const page = await dashboard.newPage('/sign-in', null);
    await page.getByLabel('Email').waitFor();
    await expectUsable(page);
  });
});
