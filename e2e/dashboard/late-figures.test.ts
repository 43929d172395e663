import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { accepted, Shop } from '@switchyard/testing/fixtures/shop';
import { freePort } from '@switchyard/testing/network/free-port';
import { afterAll, describe, expect, it } from 'vitest';
import { Dashboard, expectUsable } from '../support/dashboard.ts';

const database = hasPostgres() ? await createPostgresDatabase() : undefined;
const dashboard = await Dashboard.open({
  provision: SAMPLE,
  ...(database && {
    env: { DATABASE_URL: database.url, CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}/events` },
  }),
});

const PAGES = ['overview', 'goals', 'feedback', 'sessions', 'split-tests', 'split-tests/hero', 'traffic'];
const LATE = /^Figures are late: events since \d{1,2}:\d{2}.* are stored, but not counted yet\.$/;
const LATE_FIGURE = /^(Figures are late: .*|Not counted yet)$/;

describe.skipIf(dashboard.isMissing || database === undefined)('while ClickHouse is unavailable', () => {
  afterAll(() => database?.remove());

  it('says since when figures are late, without errors, and loads them when they are not', async () => {
    const shop = new Shop(dashboard.server);
    await accepted(shop.collect({ sessionId: 's1', visitorId: 'v1', events: [{ type: 'pageview' }] }));
    const lateSince = async () => (await dashboard.owner.get('/v1/manage/me')).body.dataDelayedSince;
    await expect.poll(lateSince).toEqual(expect.any(Number));
    dashboard.ignoreProblems(/503/);
    const page = await dashboard.shopPage('overview');
    const notice = page.getByRole('status').filter({ hasText: LATE });
    for (const path of PAGES) {
      await page.goto(`/p/shop/${path}`);
      await notice.waitFor();
      await page.getByText(LATE_FIGURE).nth(1).waitFor();
      expect(await page.getByRole('alert').count(), path).toBe(0);
      expect(await page.getByText(/cannot load|unavailable/i).count(), path).toBe(0);
    }
    await expectUsable(page);

    await page.route('**/v1/manage/me', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), dataDelayedSince: null } });
    });
    await notice.waitFor({ state: 'detached' });
    await page.getByText('Stored events cannot be read at the moment').first().waitFor();
    await page.waitForResponse(/traffic\/summary/);
  });
});
