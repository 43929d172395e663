import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, Shop } from '@switchyard/testing/fixtures/shop';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable } from '../support/dashboard.ts';

const CHECKOUT = { key: 'checkout', type: 'boolean', defaultValue: false };
const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        apiKeys: [{ kind: 'public', key: PUBLIC_KEY }],
        environments: [{ id: 'production' }, { id: 'staging', name: 'Staging' }],
        flags: [{ ...CHECKOUT, environments: { staging: { enabled: true } } }],
      },
      { id: 'old-shop', name: 'Old shop' },
    ],
  },
  env: { WEBHOOK_ALLOW_PRIVATE: 'true' },
});

const SHOP = '/v1/manage/properties/shop';
const stored = async (path = '') => (await dashboard.owner.get(SHOP + path)).body;

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.open();
});
afterAll(() => receiver.close());

describe.skipIf(dashboard.isMissing)('general settings', () => {
  it('are saved after a review, and warn before events are deleted', async () => {
    const page = await dashboard.shopPage('settings');
    const origins = page.getByRole('combobox', { name: 'Allowed origins' });
    await page.getByLabel('Name', { exact: true }).fill('The shop');
    await page.getByRole('radio', { name: 'For a number of days' }).check();
    await page.getByLabel('Days', { exact: true }).fill('30');
    await page.getByText('Events will be deleted').waitFor();
    await origins.fill('https://shop.example/');
    await origins.press('Enter');
    await page.getByText('is not an origin').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByText('Correct the marked fields first').waitFor();
    await origins.press('Backspace');
    await origins.fill('https://shop.example');
    await origins.press('Enter');

    // Nothing is lost by a reload.
    await page.reload();
    expect(await page.getByLabel('Days', { exact: true }).inputValue()).toBe('30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Keeps events: 761 days → 30 days').waitFor();
    await confirmReview(page);
    await page.getByText('No unsaved changes').waitFor();
    expect(await stored()).toMatchObject({
      name: 'The shop',
      retentionDays: 30,
      allowedOrigins: ['https://shop.example'],
    });
    await page.getByRole('button', { name: 'Property: The shop' }).waitFor();
  });

  it('show both versions when somebody else changed the same field', async () => {
    const page = await dashboard.shopPage('settings');
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    const body = { name: 'Theirs', displayCurrency: 'EUR' };
    await dashboard.owner.call('PATCH', SHOP, { headers: { 'if-match': '*' }, body });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('radio', { name: 'Yours' }).check();
    await page.getByRole('button', { name: 'Continue with this version' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Name: “Theirs” → “Mine”').waitFor();
    await confirmReview(page);
    expect(await stored()).toMatchObject({ name: 'Mine', displayCurrency: 'EUR' });
    dashboard.ignoreProblems(/412/);
  });

  it('keep what was entered while the server cannot be reached', async () => {
    const page = await dashboard.shopPage('settings');
    await page.getByLabel('Share of visitors').fill('7');
    await page.route('**/v1/manage/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Cannot reach the server').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await confirmReview(page);
    expect((await stored()).holdout).toBe(7);
    dashboard.ignoreProblems(/ERR_FAILED/);
  });

  it('cannot be changed by editors, who are told why', async () => {
    const page = await dashboard.shopPage(
      'settings',
      await dashboard.member('editor@shop.example', 'editor'),
    );
    await page.getByText('You need the admin role').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByText('Inviting people: you need the admin role').waitFor();
    await page.getByRole('tab', { name: 'Danger zone' }).click();
    expect(await page.getByLabel('Id of the property').isDisabled()).toBe(true);
  });
});

describe.skipIf(dashboard.isMissing)('statistics settings', () => {
  it('choose a method, with keys alone', async () => {
    const page = await dashboard.shopPage('settings?tab=statistics');
    await page.getByRole('radio', { name: 'Automatic' }).focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.getByRole('radio', { name: 'Bayesian' }).isChecked()).toBe(true);
    await page.getByRole('switch', { name: 'Set what to expect (the prior) yourself' }).press('Space');
    await page.getByLabel('Accepted false alarms').fill('10');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('Method: auto → bayesian').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('No unsaved changes').waitFor();
    expect((await stored()).statistics).toMatchObject({
      engine: 'bayesian',
      alpha: 0.1,
      prior: { mean: 0, sd: 0.1 },
    });
  });

  it('compare like with like, and ship with open guardrails', async () => {
    const page = await dashboard.shopPage('settings?tab=statistics');
    await page.getByRole('checkbox', { name: 'Visitors with the same kind of device' }).check();
    await page.getByRole('checkbox', { name: 'Visitors of the same country' }).check();
    await page.getByRole('switch', { name: 'Ship while guardrails are open' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Compares visitors of the same: none → country, device').waitFor();
    await page.getByText('Can say "ship" while a guardrail does not have enough data').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('No unsaved changes').waitFor();
    expect((await stored()).statistics).toMatchObject({
      stratify: ['country', 'device'],
      shipWithOpenGuardrails: true,
    });
  });
});

describe.skipIf(dashboard.isMissing)('privacy', () => {
  it('shows what would be stored otherwise, and is saved after a review', async () => {
    const events = [{ type: 'pageview', url: 'https://shop.example/?ref=home&token=1' }];
    await accepted(new Shop(dashboard.server).collect({ sessionId: 's-1', visitorId: 'v-1', events }));
    const page = await dashboard.shopPage('settings?tab=privacy');
    await page.getByText('Removed today (UTC): token (1)').waitFor();
    const parameters = page.getByRole('combobox', { name: 'Recorded query parameters' });
    await parameters.fill('a=b');
    await parameters.press('Enter');
    await page.getByText('is not the name of a parameter').waitFor();
    await parameters.press('Backspace');
    await parameters.fill('page');
    await parameters.press('Enter');
    await page.getByLabel('Mask email addresses, tokens and card numbers').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Recorded query parameters added: page').waitFor();
    await confirmReview(page);
    await page.getByText('No unsaved changes').waitFor();
    expect((await stored()).privacy).toEqual({
      allowedParameters: ['page'],
      maskValues: false,
      preset: null,
    });
  });
});

describe.skipIf(dashboard.isMissing)('environments', () => {
  it('are created, protected and renamed; one in use is not deleted', async () => {
    const page = await dashboard.shopPage('settings?tab=environments');
    await page.getByRole('button', { name: 'New environment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Quality check');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'New environment Quality check' }).waitFor();
    await confirmReview(page);
    await page.getByRole('cell', { name: 'quality-check' }).waitFor();
    await page.getByRole('switch', { name: 'Protect Quality check' }).click();
    await confirmReview(page);
    await expect
      .poll(() => page.getByRole('switch', { name: 'Protect Quality check' }).isChecked())
      .toBe(true);
    await page.getByRole('button', { name: 'Rename Quality check' }).click();
    await page.getByLabel('Name', { exact: true }).fill('QA');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Rename the environment Quality check' }).waitFor();
    await confirmReview(page);
    await page.getByRole('cell', { name: 'QA', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Delete Staging' }).click();
    await page.getByRole('alert').getByText('flag “checkout”').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete QA' }).click();
    await confirmReview(page, 'Delete');
    await page.getByRole('cell', { name: 'QA', exact: true }).waitFor({ state: 'detached' });
    dashboard.ignoreProblems(/409/);
  });
});

describe.skipIf(dashboard.isMissing)('members', () => {
  it('are invited by a link, get another role, and are removed', async () => {
    await dashboard.member('grace@shop.example', 'viewer');
    const page = await dashboard.shopPage('settings?tab=members');
    await page.getByLabel('Email').fill('new@shop.example');
    await page.getByRole('button', { name: 'Invite' }).click();
    const link = await page.getByRole('figure', { name: 'the link' }).textContent();
    expect(link).toContain('/invitation#token=');
    await page.getByRole('button', { name: 'I have sent it' }).click();
    await page.getByRole('button', { name: 'Revoke the invitation of new@shop.example' }).click();
    await page.getByText('No open invitations').waitFor();

    await page.getByRole('combobox', { name: 'Role of grace@shop.example' }).click();
    await page.getByRole('option', { name: 'admin' }).click();
    await page.getByText('Role: viewer → admin').waitFor();
    await confirmReview(page);
    const role = page.getByRole('combobox', { name: 'Role of grace@shop.example' });
    await expect.poll(() => role.inputValue()).toBe('admin');
    await page.getByRole('button', { name: 'Remove grace@shop.example' }).click();
    await confirmReview(page, 'Remove');
    await role.waitFor({ state: 'detached' });
  });
});

describe.skipIf(dashboard.isMissing)('webhooks', () => {
  it('are created with a secret that is shown once, tested, and resent', async () => {
    receiver.answerWith(500, {}, 'out of order');
    const page = await dashboard.shopPage('settings?tab=webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Team chat');
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'New webhook Team chat' }).waitFor();
    await confirmReview(page);
    await page.waitForURL('**/settings?tab=webhooks&webhook=team-chat');
    const secret = await page.getByRole('figure', { name: 'the secret' }).textContent();
    expect(secret).toMatch(/whsec_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('button', { name: 'Send test' }).click();
    const delivery = page.getByRole('listitem').filter({ hasText: 'webhook.test' });
    await delivery.getByText('answered with status 500').waitFor();
    await delivery.getByRole('button', { name: /^Details/ }).click();
    await delivery
      .getByRole('figure', { name: 'the payload' })
      .getByText('"webhookId": "team-chat"')
      .waitFor();
    await delivery.getByText('out of order').waitFor();
    receiver.acceptAll();
    await delivery.getByRole('button', { name: /^Send again/ }).click();
    await delivery.getByText('Delivered (204)').waitFor();

    await page.getByRole('checkbox', { name: 'feedback.submitted' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await confirmReview(page);
    await page.getByText('No unsaved changes').waitFor();
    expect((await stored('/webhooks/team-chat')).events).toContain('feedback.submitted');
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await confirmReview(page, 'Delete');
    await page.getByText('No webhooks').waitFor();
  });
});

describe.skipIf(dashboard.isMissing)('the danger zone', () => {
  it('deletes a property after its id was typed', async () => {
    const page = await dashboard.newPage('/p/old-shop/settings?tab=danger');
    const button = page.getByRole('button', { name: 'Delete property' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Id of the property').fill('old-shop');
    await button.click();
    await page.getByText('Deletes the property "old-shop" with all its items and 0 events').waitFor();
    await confirmReview(page, 'Delete');
    await page.waitForURL('**/p/shop/overview');
    await page.getByRole('button', { name: /^Property:/ }).click();
    await page.getByText('old-shop: deleting 0 events').waitFor();
    await page.getByText('old-shop: deleting').waitFor({ state: 'detached' });
    expect((await dashboard.owner.get('/v1/manage/properties/old-shop')).status).toBe(404);
    dashboard.ignoreProblems(/404/);
  });
});

const TABS = ['general', 'privacy', 'statistics', 'environments', 'members', 'webhooks', 'danger'];

describe.skipIf(dashboard.isMissing)('the settings page', () => {
  it('is accessible in both themes and fits a phone', async () => {
    await dashboard.owner.put(`${SHOP}/webhooks/chat`, { url: receiver.url, events: ['test.unhealthy'] });
    await dashboard.owner.post(`${SHOP}/webhooks/chat/test`);
    const page = await dashboard.shopPage('settings');
    for (const tab of [...TABS, 'webhooks&webhook=chat']) {
      await page.goto(`/p/shop/settings?tab=${tab}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expectUsable(page, tab);
    }
  });
});
