import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        environments: [{ id: 'production', protected: true }, { id: 'staging' }],
        goals: [{ id: 'signup', kind: 'count' }],
        flags: [
          {
            key: 'checkout',
            type: 'boolean',
            defaultValue: false,
            environments: { production: { enabled: true, value: false } },
          },
        ],
      },
    ],
  },
  env: { WEBHOOK_ALLOW_PRIVATE: 'true' },
});

const SHOP = '/v1/manage/properties/shop';
const ANY = { headers: { 'if-match': '*' } };

const changeGoal = (body: object, comment = '') =>
  dashboard.owner.call('PATCH', `${SHOP}/goals/signup?comment=${comment}`, { ...ANY, body });

const propose = (editor: typeof dashboard.owner, body: object) =>
  editor.call('PATCH', `${SHOP}/flags/checkout?comment=Please`, { ...ANY, body });

describe.skipIf(dashboard.isMissing)('history', () => {
  it('says who changed what and why, opens to both values, and undoes a change', async () => {
    await changeGoal({ name: 'Sign-ups' }, 'Clearer');
    const page = await dashboard.shopPage('history?entity=goal&key=signup');
    const entry = page.getByRole('listitem').filter({ hasText: '“Clearer”' });
    await entry.getByText('in the dashboard').waitFor();
    await entry.getByText('Name: “signup” → “Sign-ups”').waitFor();
    await entry.getByRole('button', { name: 'Details of the change of goal signup, version 2' }).click();
    await entry.getByRole('row', { name: 'name signup Sign-ups' }).waitFor();
    const current = entry.getByRole('button', { name: 'Restore this version' });
    expect(await current.getAttribute('aria-disabled')).toBe('true');
    await entry.getByRole('button', { name: 'Undo' }).click();
    await confirmReview(page, 'Restore', 'Too early');
    await page.getByText('“Too early”').waitFor();
    expect((await dashboard.owner.get(`${SHOP}/goals/signup`)).body.name).toBe('signup');
  });

  it('lets an owner redact a text', async () => {
    const condition = { attribute: 'email', operator: 'equals', values: ['ada@shop.example'] };
    await dashboard.owner.put(`${SHOP}/segments/vip`, { conditions: [condition] });
    const page = await dashboard.shopPage('history?entity=segment');
    await page.getByRole('button', { name: 'Redact text' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Text').fill('ada@shop.example');
    await dialog.getByRole('button', { name: 'Find' }).click();
    await dialog.getByText('segment "vip"').waitFor();
    await dashboard.owner.call('DELETE', `${SHOP}/segments/vip`, ANY);
    await dialog.getByRole('button', { name: 'Find' }).click();
    await dialog.getByText('Found in 2 entries').waitFor();
    await dialog.getByRole('button', { name: 'Redact for good' }).click();
    await page.getByText('Some text was redacted.').first().waitFor();
    expect((await dashboard.owner.get(`${SHOP}/history?entity=segment`)).text).not.toContain('ada@');
    dashboard.ignoreProblems(/409.*redactions/);
  });

  it('keeps filters in the URL and finds nothing without lying', async () => {
    const page = await dashboard.shopPage('history');
    await page.getByLabel('Key').fill('checkout');
    await page.waitForURL('**/history?key=checkout');
    await expect.poll(() => page.getByRole('link', { name: 'signup' }).count()).toBe(0);
    await page.getByRole('link', { name: 'checkout' }).first().waitFor();
    await page.getByRole('combobox', { name: 'What' }).click();
    await page.getByRole('option', { name: 'Segment' }).click();
    await page.getByText('No changes match these filters').waitFor();
    await page.reload();
    await page.getByText('No changes match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'signup' }).first().waitFor();
    expect(await page.getByLabel('Key').inputValue()).toBe('');
  });

  it('restores a deleted webhook and offers a new secret', async () => {
    const body = { url: 'http://127.0.0.1:9/hook', events: ['feedback.submitted'] };
    await dashboard.owner.put(`${SHOP}/webhooks/chat`, body);
    await dashboard.owner.call('DELETE', `${SHOP}/webhooks/chat`, ANY);
    const page = await dashboard.shopPage('history?entity=webhook');
    await page.getByRole('button', { name: 'Restore: chat, version 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByRole('link', { name: 'Open the webhook and replace its secret' }).click();
    await page.getByRole('button', { name: 'Replace secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    const secret = page.getByRole('figure', { name: 'the secret' });
    await expect.poll(() => secret.textContent()).toMatch(/whsec_/);
  });

  it('loads earlier changes while scrolling', async () => {
    for (let index = 0; index < 60; index += 1) await changeGoal({ name: `Name ${index}` });
    const page = await dashboard.shopPage('history?entity=goal');
    await page.getByText('“Name 58” → “Name 59”').waitFor();
    const scrollToEnd = async () => {
      await page.keyboard.press('End');
      return page.getByText('created goal').count();
    };
    await expect.poll(scrollToEnd, { interval: 200 }).toBe(1);
  });

  it('shows an error as an error, and tries again', async () => {
    const page = await dashboard.newPage('/p/shop/flags');
    await page.getByRole('heading', { level: 1 }).waitFor();
    let isDown = true;
    await page.route('**/history?*', (route) =>
      isDown ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    );
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Cannot load the history').waitFor();
    expect(await page.getByText('No changes yet').count()).toBe(0);
    isDown = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'signup' }).first().waitFor();
    dashboard.ignoreProblems(/503/);
  });

  it('tells viewers which role they need', async () => {
    const viewer = await dashboard.member('viewer@shop.example', 'viewer');
    const page = await dashboard.shopPage('history?entity=goal', viewer);
    await page
      .getByRole('button', { name: /^Details of the change of goal signup/ })
      .first()
      .click();
    const undo = page.getByRole('button', { name: /^Undo/ });
    expect(await undo.getAttribute('aria-disabled')).toBe('true');
    expect(await undo.getAttribute('aria-description')).toBe('You need the editor role');
  });
});

describe.skipIf(dashboard.isMissing)('proposals', () => {
  it('are approved by an admin who looked at the difference', async () => {
    const editor = await dashboard.member('editor@shop.example', 'editor');
    await propose(editor, { environments: { production: { value: true } } });
    const own = await dashboard.shopPage('history?tab=proposals', editor);
    const approve = own.getByRole('button', { name: /^Approve/ });
    await approve.waitFor();
    expect(await approve.getAttribute('aria-description')).toBe('Nobody approves their own proposal');

    const page = await dashboard.shopPage('history');
    await page.getByRole('tab', { name: 'Proposals (1 open)' }).click();
    await page.getByRole('button', { name: 'Details of the proposal of editor@shop.example' }).click();
    await page.getByRole('row', { name: 'environments › production › value false true' }).waitFor();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await confirmReview(page, 'Approve', 'Checked');
    await page.getByText('No open proposals').waitFor();
    const { body } = await dashboard.owner.get(`${SHOP}/flags/checkout`);
    expect(body.environments.production.value).toBe(true);
    await own.getByText('No open proposals').waitFor();
    await own.getByText('Approved', { exact: true }).click();
    await own.getByText('Approved by').waitFor();
    await own.getByRole('button', { name: 'Details of the proposal of editor@shop.example' }).click();
    await own.getByRole('row', { name: 'environments › production › value false true' }).waitFor();
  });

  it('are rejected by an admin and withdrawn by their author, after a question', async () => {
    const editor = await dashboard.member('second@shop.example', 'editor');
    await propose(editor, { environments: { production: { enabled: false } } });
    await propose(editor, { environments: { production: { value: false } } });
    const page = await dashboard.shopPage('history?tab=proposals');
    await page
      .getByRole('button', { name: /^Reject/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await expect.poll(() => page.getByRole('button', { name: /^Reject/ }).count()).toBe(1);
    const own = await dashboard.shopPage('history?tab=proposals', editor);
    await own.getByRole('button', { name: /^Withdraw/ }).click();
    await own.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await own.getByText('No open proposals').waitFor();
  });
});

describe.skipIf(dashboard.isMissing)('the history page', () => {
  it('is accessible in both themes and fits a phone', async () => {
    const editor = await dashboard.member('third@shop.example', 'editor');
    await propose(editor, { environments: { production: { enabled: false } } });
    const page = await dashboard.shopPage('history?entity=flag');
    await page
      .getByRole('button', { name: /^Details of the change of flag checkout/ })
      .last()
      .click();
    await expectUsable(page);
    await page.getByRole('tab', { name: /Proposals/ }).click();
    await page
      .getByRole('button', { name: /^Details of the proposal/ })
      .first()
      .click();
    await page.getByRole('row').first().waitFor({ state: 'attached' });
    await expectUsable(page, 'proposals');
  });
});
