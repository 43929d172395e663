import { describe, expect, it } from 'vitest';
import { Dashboard, expectUsable } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({ provision: { properties: [{ id: 'shop', name: 'Shop' }] } });

describe.skipIf(dashboard.isMissing)('API keys', () => {
  it('creates a secret key, shows it once, and deletes it', async () => {
    const page = await dashboard.shopPage('keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('radio', { name: 'Secret' }).check();
    await page.getByLabel('Name').fill('checkout service');
    await page.getByRole('button', { name: 'Save' }).click();
    const sheet = page.getByRole('dialog', { name: 'New secret key' });
    await sheet.getByText('checkout service').first().waitFor();
    await sheet.getByRole('button', { name: 'Save' }).click();
    const secret = await page.getByRole('figure', { name: 'the key' }).textContent();
    expect(secret).toMatch(/service_sec_/);
    const used = await dashboard.server.call('GET', '/v1/flags/list?propertyId=shop', {
      key: secret!.trim(),
    });
    expect(used.status).toBe(200);

    await page.reload();
    await page.getByRole('cell', { name: 'checkout service', exact: true }).waitFor();
    expect(await page.textContent('main')).not.toContain(secret);
    await page.getByRole('button', { name: /Delete the secret key “checkout service”/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('cell', { name: 'checkout service', exact: true }).waitFor({ state: 'detached' });
  });

  it('says that a name is taken, and keeps the form', async () => {
    await dashboard.owner.post('/v1/manage/properties/shop/keys', { kind: 'public', name: 'website' });
    const page = await dashboard.shopPage('keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name').fill('website');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('already a public key').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('website');
    dashboard.ignoreProblems(/409/);
  });

  it('tells viewers which role they need', async () => {
    const page = await dashboard.shopPage('keys', await dashboard.member('viewer@shop.example', 'viewer'));
    const button = page.getByRole('button', { name: 'New API key' });
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
    await page.getByText('you need the admin role').waitFor();
  });

  it('is accessible in both themes and fits a phone', async () => {
    const page = await dashboard.shopPage('keys');
    await page.getByRole('heading', { level: 2, name: 'Keys' }).waitFor();
    await expectUsable(page);
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name').waitFor();
    await expectUsable(page, 'new key');
  });
});
