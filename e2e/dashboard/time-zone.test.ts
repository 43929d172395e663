import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { confirmReview, Dashboard, expectUsable } from '../support/dashboard.ts';

const START = Date.parse('2030-01-15T12:00Z');
const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        timeZone: 'Europe/Berlin',
        goals: [{ id: 'signup', name: 'Sign-ups', kind: 'count', target: { value: 5, period: 'month' } }],
        splitTests: [
          {
            key: 'hero',
            name: 'Hero',
            type: 'id',
            status: 'draft',
            startAt: new Date(START).toISOString(),
            goals: ['signup'],
            variations: [
              { key: 'a', weight: 1, value: 'a' },
              { key: 'b', weight: 1, value: 'b' },
            ],
          },
        ],
      },
      { id: 'moved', name: 'Moved', timeZone: 'Europe/Berlin' },
    ],
  },
});

const ELSEWHERE = { timezoneId: 'America/New_York' };
const at = (text: string) => Date.parse(text);
const stored = async (id: string) => (await dashboard.owner.get(`/v1/manage/properties/${id}`)).body;

/** The period of the next request to an endpoint. */
async function requestedPeriod(page: Page, path: string, action: () => Promise<unknown>) {
  const [request] = await Promise.all([
    page.waitForRequest((it) => new URL(it.url()).pathname === path),
    action(),
  ]);
  const query = new URL(request.url()).searchParams;
  return { from: Number(query.get('from')), to: Number(query.get('to')) };
}

describe.skipIf(dashboard.isMissing)('the time zone of a property in the dashboard', () => {
  it('is that of the browser for a new property', async () => {
    const page = await dashboard.newPage('/new-property', dashboard.owner, ELSEWHERE);
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('America/New_York');
    await expectUsable(page);
    await page.getByLabel('Name').fill('New');
    await page.getByRole('button', { name: 'Create property' }).click();
    await page.waitForURL('**/p/new/overview');
    expect((await stored('new')).timeZone).toBe('America/New_York');
  });

  it('is found by a part of its name in the settings, and saved after a review', async () => {
    const page = await dashboard.newPage('/p/moved/settings', dashboard.owner, ELSEWHERE);
    const field = page.getByRole('combobox', { name: 'Time zone' });
    await field.fill('kathm');
    await page.getByRole('option', { name: 'Asia/Kathmandu' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Time zone: .*Europe\/Berlin.* → .*Asia\/Kathmandu/).waitFor();
    await confirmReview(page);
    await page.getByText('No unsaved changes').waitFor();
    expect((await stored('moved')).timeZone).toBe('Asia/Kathmandu');
    await page.getByRole('link', { name: 'Traffic' }).click();
    await page.getByText('Days and hours are in Asia/Kathmandu.').waitFor();
  });

  it('decides about the days of periods, also when clocks change', async () => {
    const page = await dashboard.shopPage('segments', dashboard.owner, ELSEWHERE);
    const url = '/p/shop/traffic?period=custom&from=2025-03-29&to=2025-03-30';
    expect(await requestedPeriod(page, '/v1/traffic/summary', () => page.goto(url))).toEqual({
      from: at('2025-03-29T00:00+01:00'),
      to: at('2025-03-31T00:00+02:00'),
    });
    await page.getByText('Days and hours are in Europe/Berlin.').waitFor();
    await page.getByText('Show as table').click();
    const rows = page.getByRole('table', { name: 'Visitors by hour' }).getByRole('row');
    // 24 and 23 hours, below the names of the columns.
    await expect.poll(() => rows.count()).toBe(48);
    await expectUsable(page);
  });

  it('decides about the period of a target, until its last moment', async () => {
    // The clock of a context stays.
    const page = await dashboard.shopPage('segments', dashboard.owner, { ...ELSEWHERE, locale: 'en-GB' });
    await page.clock.setFixedTime('2025-05-31T23:59:30+02:00');
    await page.goto('/p/shop/segments');
    const period = await requestedPeriod(page, '/v1/goals/progress', () =>
      page.goto('/p/shop/goals/signup?period=custom&from=2025-05-01&to=2025-05-02'),
    );
    const target = { from: at('2025-05-01T00:00+02:00'), to: at('2025-06-01T00:00+02:00') };
    expect(period).toEqual(target);
  });

  it('is that of schedules', async () => {
    const page = await dashboard.shopPage('split-tests/hero', dashboard.owner, ELSEWHERE);
    await page.getByText(/Starts by itself on Jan 15, 2030, 1:00/).waitFor();
  });

  it('marks what is not complete', async () => {
    const page = await dashboard.shopPage('goals/signup?period=7d', dashboard.owner, ELSEWHERE);
    await page.getByText('Show as table').first().click();
    const rows = page.getByRole('table', { name: 'Sign-ups by day' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(8);
    expect(await rows.last().textContent()).toContain('(in part)');
    expect(await rows.nth(1).textContent()).not.toContain('(in part)');
  });
});
