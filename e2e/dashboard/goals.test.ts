import { beforeAll, describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable, saveButton } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        goals: [
          { id: 'purchase', name: 'Purchases', kind: 'revenue', target: { value: 200, period: 'month' } },
          { id: 'complaint', name: 'Complaints', kind: 'count', lowerIsBetter: true },
          { id: 'unused', name: 'Unused', kind: 'count' },
        ],
        splitTests: [
          {
            key: 'hero',
            name: 'Hero',
            type: 'id',
            status: 'running',
            goals: ['purchase'],
            variations: [
              { key: 'a', weight: 1, value: 'a' },
              { key: 'b', weight: 1, value: 'b' },
            ],
          },
        ],
      },
      { id: 'empty', name: 'Empty' },
    ],
  },
});

const stored = async (id: string) =>
  (await dashboard.owner.get(`/v1/manage/properties/shop/goals/${id}`)).body;

describe.skipIf(dashboard.isMissing)('goals in the dashboard', () => {
  beforeAll(async () => {
    if (dashboard.isMissing) return;
    const created = await dashboard.owner.post('/v1/manage/properties/shop/keys', {
      kind: 'secret',
      name: 'server',
    });
    const send = async (path: string, body: object) => {
      const sent = await dashboard.server.call('POST', path, {
        key: created.body.key,
        body: { propertyId: 'shop', goalId: 'purchase', ...body },
      });
      expect(sent.status, sent.text).toBe(200);
    };
    await send('/v1/goals/increment', { amount: 100, sessionId: 's-1', metadata: { order: 'o-17' } });
    await send('/v1/goals/increment', { amount: 50 });
    await send('/v1/goals/decrement', { amount: 30, metadata: { reason: 'too small' } });
  });

  it('shows progress, target, refunds and the latest conversions', async () => {
    const page = await dashboard.shopPage('goals');
    const row = page.getByRole('row').filter({ hasText: 'Purchases' });
    await row.getByText('$120.00', { exact: true }).waitFor();
    await row.getByText('60 % of $200.00 this month').waitFor();
    await row.getByRole('link').click();
    await page.getByText('$150.00').first().waitFor();
    await page.getByRole('group', { name: /^Purchases by day/ }).waitFor();
    const refund = page.getByRole('row').filter({ hasText: 'Refund' });
    await refund.getByText('reason: too small').waitFor();
    await refund.getByText('-$30.00').waitFor();
    const conversion = page.getByRole('row').filter({ hasText: 'order: o-17' });
    expect(await conversion.getByRole('link').getAttribute('href')).toContain('/sessions/s-1');
    await page.getByRole('radio', { name: 'Week' }).check();
    await page.getByRole('group', { name: /^Purchases by week/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('interval')).toBe('week');
    // What could explain a change is marked.
    await page.getByText('1 change of split tests and flags').click();
    await page.getByRole('link', { name: 'Split test Hero: phase 1 started' }).waitFor();
  });

  it('creates a goal with the keyboard, lands on it, and teaches how to record it', async () => {
    const page = await dashboard.shopPage('goals');
    await page.getByRole('button', { name: 'New goal' }).press('Enter');
    await page.getByLabel('Name').pressSequentially('Sign-ups');
    await page.getByLabel('Target', { exact: true }).fill('0');
    await saveButton(page).press('Enter');
    await page.getByText('Must be above 0').waitFor();
    dashboard.ignoreProblems(/400/);
    await page.getByLabel('Target', { exact: true }).fill('500');
    await saveButton(page).press('Enter');
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create' });
    // Keys do not wait until the change is checked, as a click would.
    await expect.poll(() => create.isEnabled()).toBe(true);
    await create.press('Enter');
    await page.waitForURL('**/p/shop/goals/sign-ups');
    expect(await stored('sign-ups')).toMatchObject({
      kind: 'count',
      target: { value: 500, period: 'month' },
    });
    await page.getByText("goals.increment('sign-ups'").waitFor();
  });

  it('edits a goal, keeps the draft over a reload, and solves a conflict', async () => {
    const page = await dashboard.shopPage('goals/complaint');
    await page.getByLabel('Name').fill('Mine');
    await page.reload();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Mine');
    const { version } = await stored('complaint');
    await dashboard.owner.call('PATCH', '/v1/manage/properties/shop/goals/complaint', {
      body: { name: 'Theirs' },
      headers: { 'if-match': `"${version}"` },
    });
    await page.getByText('Somebody saved a newer version').waitFor();
    await saveButton(page).click();
    await page.getByRole('radio', { name: 'Yours' }).check();
    await page.getByRole('button', { name: 'Continue with this version' }).click();
    dashboard.ignoreProblems(/412/);
    await saveButton(page).click();
    await confirmReview(page);
    expect(await stored('complaint')).toMatchObject({ name: 'Mine', lowerIsBetter: true });
  });

  it('deletes only what no split test measures', async () => {
    const page = await dashboard.shopPage('goals/purchase');
    const remove = page.getByRole('button', { name: 'Delete goal' });
    await page.getByText('primary goal, running').waitFor();
    expect(await remove.getAttribute('aria-description')).toBe('It is still in use, see above');
    await page.goto('/p/shop/goals/unused');
    await remove.click();
    await confirmReview(page, 'Delete');
    await page.waitForURL('**/p/shop/goals');
    expect((await dashboard.owner.get('/v1/manage/properties/shop/goals/unused')).status).toBe(404);
  });

  it('never shows an error as no data', async () => {
    const page = await dashboard.shopPage('segments');
    await page.route('**/v1/goals/**', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto('/p/shop/goals/purchase');
    await page.getByText('Cannot load the progress').waitFor();
    await page.getByText('Cannot load the conversions').waitFor();
    expect(await page.getByText('No conversions').count()).toBe(0);
    await page.unroute('**/v1/goals/**');
    await page.getByRole('alert').filter({ hasText: 'progress' }).getByRole('button').click();
    await page.getByText('$150.00').first().waitFor();
    dashboard.ignoreProblems(/503/);
  });

  it('lets viewers look, and says why they cannot change anything', async () => {
    const viewer = await dashboard.member('goal-viewer@shop.example', 'viewer');
    const page = await dashboard.shopPage('goals', viewer);
    const create = page.getByRole('button', { name: 'New goal' });
    expect(await create.getAttribute('aria-description')).toBe('You need the editor role');
    await page.getByRole('link', { name: 'Purchases' }).click();
    await page.getByText('You need the editor role').waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
  });

  it('has no accessibility problems in both themes, and fits a phone', async () => {
    const page = await dashboard.newPage('/p/empty/goals');
    await page.getByText('No goals yet').waitFor();
    await expectUsable(page);
    for (const path of ['goals', 'goals?new=1', 'goals/purchase']) {
      await page.goto(`/p/shop/${path}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expectUsable(page, path);
    }
  });
});
