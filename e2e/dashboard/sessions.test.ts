import { readFileSync } from 'node:fs';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { accepted, Shop } from '@switchyard/testing/fixtures/shop';
import { beforeAll, describe, expect, it } from 'vitest';
import { Dashboard, expectUsable, PHONE } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({ provision: SAMPLE });

describe.skipIf(dashboard.isMissing)('sessions', () => {
  let shop: Shop;
  const visit = (index: number, path: string) =>
    shop.collect({
      sessionId: `s${index}`,
      visitorId: `v${index}`,
      attributes: { plan: 'pro' },
      events: [{ type: 'pageview', url: `https://shop.example${path}` }],
    });
  beforeAll(async () => {
    shop = new Shop(dashboard.server);
    await accepted(visit(1, '/'), visit(2, '/pricing'));
    const exposure = { splitTestKey: 'hero', variationKey: 'b', sessionId: 's1' };
    await accepted(shop.browse('/v1/split-testing/expose', { propertyId: 'shop', exposures: [exposure] }));
    await accepted(
      shop.post('/v1/goals/increment', { propertyId: 'shop', goalId: 'signup', sessionId: 's1' }),
    );
  });

  it('are found by page and by id, and the filter is part of the address', async () => {
    const page = await dashboard.shopPage('sessions');
    const list = page.getByRole('list', { name: 'Sessions' });
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
    await page.getByLabel('Page').fill('/pricing');
    await page.keyboard.press('Enter');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    expect(page.url()).toContain('page=%2Fpricing');
    await page.getByRole('textbox', { name: 'Id of the visitor' }).fill('v1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Visitor' }).waitFor();
    await expect
      .poll(() => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count())
      .toBe(1);
  });

  it('keep one field per filter when filters are set and cleared', async () => {
    const page = await dashboard.shopPage('sessions');
    const fields = page.getByRole('region', { name: 'Filters' }).getByRole('textbox');
    await fields.first().waitFor();
    const count = await fields.count();
    for (const [label, text] of Object.entries({ Page: '/pricing', Country: 'DE', Browser: 'Firefox' })) {
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.searchParams.get(label.toLowerCase()) === text);
      expect(await fields.count(), label).toBe(count);
    }
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.getByLabel('Page', { exact: true }).inputValue()).toBe('');
    expect(await fields.count(), 'cleared').toBe(count);
  });

  it('show what happened, and why the visitor saw a variation and a flag value', async () => {
    const page = await dashboard.shopPage('sessions/s1');
    await page.getByText('Saw “b” of').waitFor();
    await page.getByText('Goal ').first().waitFor();
    await page.getByRole('button', { name: /^Why b of hero/ }).click();
    await page.getByText('Status of the test').waitFor();
    // The answer comes into view, wherever the button is.
    await page.setViewportSize(PHONE);
    await page
      .getByRole('button', { name: /^Why is / })
      .last()
      .click();
    await page.getByText(/^The flag is /).waitFor();
    const heading = page.getByRole('heading', { name: 'Why did this visitor see this?' });
    await expect.poll(() => heading.evaluate((it) => it === document.activeElement)).toBe(true);
    const { y } = (await heading.boundingBox())!;
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(PHONE.height / 2);
  });

  it('say that a session does not exist', async () => {
    const page = await dashboard.shopPage('sessions/unknown');
    await page.getByRole('alert').getByText('Cannot load the session').waitFor();
    dashboard.ignoreProblems(/404/);
  });

  it('can be erased by admins, and the progress survives a reload', async () => {
    await accepted(visit(9, '/'));
    const page = await dashboard.shopPage('visitors/v9');
    await page.getByRole('button', { name: 'Erase visitor' }).click();
    const confirm = page.getByRole('button', { name: 'Erase', exact: true });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByText(/"v9": 1 session of 1 visitor/).waitFor();
    await page.getByLabel('Type the visitor id to confirm').fill('v9');
    await confirm.click();
    await page.getByText(/Eras(ing|ed) visitor v9/).waitFor();
    await page.reload();
    await page.getByText(/Erased (visitor v9|a visitor)/).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage)), 'what the browser keeps').not.toContain(
      'v9',
    );
    await page.getByText('There are no sessions of this visitor.').waitFor();

    const viewer = await dashboard.shopPage(
      'visitors/v1',
      await dashboard.member('viewer@shop.example', 'viewer'),
    );
    const button = viewer.getByRole('button', { name: 'Erase visitor' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
  });

  it('can be exported by admins', async () => {
    const page = await dashboard.shopPage('visitors/v1');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export visitor' }).click();
    const file = JSON.parse(readFileSync(await (await downloading).path(), 'utf8'));
    expect(file).toMatchObject({ format: 'switchyard-person', person: { visitorId: 'v1' } });
    expect(file.sessions.length).toBeGreaterThan(0);
    const session = await dashboard.shopPage('sessions/s1');
    await session.getByRole('link', { name: 'Export session' }).waitFor();
    await session.getByRole('button', { name: 'Erase session' }).waitFor();
  });

  it('close the notice of an erasure that cannot be followed, and survive a damaged memory of them', async () => {
    const page = await dashboard.shopPage('sessions');
    const remember = (text: string) =>
      page.evaluate((value) => localStorage.setItem('switchyard:erasures:shop', value), text);
    await remember('[{"id":"gone","kind":"visitor","name":"v5"}]');
    await page.reload();
    const notice = page.getByRole('status').filter({ hasText: 'visitor v5' });
    await notice.getByText('Cannot follow this erasure').waitFor();
    dashboard.ignoreProblems(/404/);
    await notice.getByRole('button', { name: 'Close' }).click();
    await notice.waitFor({ state: 'detached' });
    for (const damaged of ['{', '{}', '[1]']) {
      await remember(damaged);
      await page.reload();
      await page.getByRole('list', { name: 'Sessions' }).waitFor();
    }
  });

  it.each(['sessions', 'sessions/s1', 'visitors/v1'])('%s is accessible and fits a phone', async (path) => {
    const page = await dashboard.shopPage(path);
    await page
      .getByText(path === 'sessions/s1' ? 'Saw “b” of' : 'hero: b')
      .first()
      .waitFor();
    await expectUsable(page);
  });
});
