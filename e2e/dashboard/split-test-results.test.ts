import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { waitFor } from '@switchyard/testing/time/wait';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Dashboard, expectUsable, PHONE, sidewaysScroll } from '../support/dashboard.ts';
import { type Site, startSite } from '../support/site.ts';
import { patientPage } from '../support/visits.ts';

const running = (key: string, ...variations: string[]) => ({
  key,
  type: 'id',
  status: 'running',
  goals: ['signup'],
  variations: variations.map((it) => ({ key: it, weight: 1 })),
});

const dashboard = await Dashboard.open({
  provision: sampleWith({
    // A hundred visitors cannot exclude harm.
    statistics: { shipWithOpenGuardrails: true },
    goals: [{ id: 'refund', name: 'Refund requests', kind: 'count', lowerIsBetter: true }],
    splitTests: [
      {
        ...running('headline', 'control', 'benefit', 'question', 'discount-banner'),
        plannedVisitors: 800,
        goals: ['signup', 'revenue'],
        guardrails: ['refund'],
      },
      running('skewed', 'control', 'b'),
      running('harmful', 'control', 'family', 'video'),
      running('silent', 'control', 'b'),
      { ...running('over', 'control', 'b'), status: 'stopped' },
    ],
  }),
});

const SIGN_UPS: Record<string, number> = { control: 20, benefit: 70, question: 22, 'discount-banner': 20 };

const list = (length: number, of: (index: number) => string) =>
  Array.from({ length }, (_, index) => of(index));

/** Sessions that saw a variation; the first ones convert. */
async function visit(
  shop: Shop,
  splitTestKey: string,
  variationKey: string,
  visitors: number,
  conversions: Record<string, number> = {},
): Promise<void> {
  const sessions = list(visitors, (index) => `${splitTestKey}-${variationKey}-${index}`);
  const exposures = sessions.map((sessionId) => ({ splitTestKey, variationKey, sessionId }));
  await accepted(shop.expose(...exposures));
  for (const [goalId, count] of Object.entries(conversions)) {
    await accepted(...sessions.slice(0, count).map((sessionId) => shop.increment({ goalId, sessionId })));
  }
}

describe.skipIf(dashboard.isMissing)('results of a split test', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
    const shop = new Shop(dashboard.server);
    await Promise.all([
      ...Object.entries(SIGN_UPS).map(([key, signup]) =>
        visit(shop, 'headline', key, 100, { signup, refund: key === 'discount-banner' ? 50 : 2 }),
      ),
      visit(shop, 'skewed', 'control', 300, { signup: 3 }),
      visit(shop, 'skewed', 'b', 100),
      ...Object.entries({ control: 40, family: 42, video: 3 }).map(([key, signup]) =>
        visit(shop, 'harmful', key, 100, { signup }),
      ),
      visit(shop, 'over', 'b', 3),
    ]);
    // Ten visitors of the control see the other variation as well.
    const mixed = list(10, (index) => `skewed-control-${index}`);
    await accepted(
      shop.expose(...mixed.map((sessionId) => ({ splitTestKey: 'skewed', variationKey: 'b', sessionId }))),
    );
    const answer = { feedbackTypeId: 'nps', sessionId: 'headline-benefit-1' };
    await accepted(shop.submit({ ...answer, option: 'good', message: 'I like the headline' }));
  });
  afterAll(() => site?.close());

  const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const open = async (
    key: string,
    ...rest: Parameters<Dashboard['shopPage']> extends [string, ...infer R] ? R : never
  ) => {
    const page = await dashboard.shopPage(`split-tests/${key}`, ...rest);
    await panel(page, 'Visitors').waitFor();
    return page;
  };

  it('say what to do, and what it is based on', async () => {
    const page = await open('headline');
    const verdict = panel(page, 'Verdict');
    expect(await verdict.textContent()).toContain('Ship "benefit"');
    expect(await verdict.textContent()).toContain(
      'Guardrails: not enough data yet to exclude harm beyond 5 % in Refund requests',
    );
    expect(await verdict.textContent()).toContain('Roll back "discount-banner": it harms a guardrail.');
    expect(await panel(page, 'Health').textContent()).toContain('Healthy');
    expect(await panel(page, 'Visitors').textContent()).toContain('400 of 800 planned visitors (50\u00a0%)');
    const benefit = panel(page, 'Primary goal').getByRole('listitem').filter({ hasText: 'benefit' });
    expect(await benefit.textContent()).toMatch(/70\s%.*\+250\s%.*Better/);
    await benefit.getByRole('img', { name: /^benefit: \+250\s%, between \+\d+\s% and \+\d+\s%$/ }).waitFor();
    const guardrails = panel(page, 'Guardrails').getByRole('listitem');
    expect(await guardrails.filter({ hasText: 'discount-banner' }).textContent()).toContain('Harmed');
    expect(await guardrails.filter({ hasText: 'benefit' }).textContent()).toContain('Open');
    await panel(page, 'Secondary goals').getByRole('heading', { name: 'Revenue' }).waitFor();
    await page.getByRole('group', { name: /uplift of benefit by day/ }).waitFor();
    await panel(page, 'Feedback by variation').getByText('I like the headline').waitFor();
  });

  it('name a variation that does harm first, here and in lists', async () => {
    const page = await open('harmful');
    const verdict = await panel(page, 'Verdict').textContent();
    expect(verdict).toMatch(/Next: take "video" out of the test\..*Keep "family" going/);
    await page
      .getByText(/^harmful · Roll back "video": it is worse than the control\. Next: take "video"/)
      .waitFor();
    const list = await dashboard.shopPage('split-tests?status=decide');
    await list.getByRole('row', { name: /harmful.*Needs decision.*Take video out: it is worse/ }).waitFor();
    const overview = await dashboard.shopPage('overview');
    const row = panel(overview, 'Running split tests').getByRole('listitem').filter({ hasText: 'harmful' });
    await row.getByText('Take video out: it is worse').waitFor();
    await row.getByText('Needs a decision').waitFor();
  });

  it('name an alarm in plain words, with the sessions behind it', async () => {
    const page = await open('skewed');
    expect(await panel(page, 'Verdict').textContent()).toContain('The data is not reliable');
    const alarms = page.getByRole('list', { name: 'Alarms' });
    expect(await alarms.textContent()).toContain('"control" has');
    await alarms.getByRole('link', { name: 'Sessions of visitors who saw several variations' }).click();
    await page.waitForURL('**/p/shop/sessions?*');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      splitTestKey: 'skewed',
      phase: '1',
      multipleVariations: 'true',
    });
  });

  it('list sessions that converted and that did not, opened at the exposure', async () => {
    const page = await open('headline');
    const links = (name: string) => page.getByRole('list', { name, exact: true }).getByRole('link');
    for (const [name, converted] of [
      ['Sessions: converted', true],
      ['Sessions: not converted', false],
    ] as const) {
      await links(name).first().waitFor();
      const paths = await links(name).evaluateAll((all) => all.map((it) => it.getAttribute('href')));
      expect(paths).toHaveLength(5);
      for (const path of paths) {
        const [, variation = '', index] = /^\/p\/shop\/sessions\/headline-([a-z-]+)-(\d+)\?at=\d{13}$/.exec(
          path!,
        )!;
        expect(Number(index) < SIGN_UPS[variation]!, `${path} converted`).toBe(converted);
      }
    }
  });

  it('fit four variations on a phone', async () => {
    const page = await open('headline', undefined, { viewport: PHONE });
    const rows = panel(page, 'Primary goal').getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(4);
    await panel(page, 'Feedback by variation').getByText('I like the headline').waitFor();
    // With the keyboard: panels above that are still loading could move it during a click.
    await page.getByText('Method, p-values and intervals').press('Enter');
    await page.getByText('Sample ratio').waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
  });

  it('stay visible when new ones cannot be loaded; an error is not "no data"', async () => {
    const page = await open('headline');
    await page.route('**/v1/split-testing/results?*', (route) => route.fulfill({ status: 503, body: '' }));
    await page.getByRole('button', { name: 'Refresh' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Cannot refresh the results' });
    await alert.waitFor();
    expect(await panel(page, 'Verdict').textContent()).toContain('Ship "benefit"');
    await page.reload();
    await page.getByText('Cannot load the results').waitFor();
    expect(await page.getByText('No visitor has seen this test').count()).toBe(0);
    await page.unroute('**/v1/split-testing/results?*');
    await page.getByRole('alert').filter({ hasText: 'Cannot load the results' }).getByRole('button').click();
    await panel(page, 'Verdict').getByText('Ship "benefit"').waitFor();
    dashboard.ignoreProblems(/503/);
  });

  it('are broken down by an attribute, with what differs, by keyboard alone', async () => {
    const page = await open('headline');
    await page.getByRole('combobox', { name: 'Break down by' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Device' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/split-tests/headline?by=device');
    await panel(page, 'Breakdown').getByText('There are no groups to compare yet').waitFor();
    await page.getByRole('list', { name: 'Uplift of benefit by device' }).waitFor();
  });

  it('begin with a page that works as pasted', async () => {
    const page = await dashboard.shopPage('split-tests/silent');
    await page.getByText('No visitor has seen this test yet').waitFor();
    const snippet = page.getByRole('figure', { name: 'the snippet for your pages' });
    const url = site.put('/silent', patientPage((await snippet.locator('code').textContent()) ?? ''));
    // A headless browser would be counted as a crawler.
    await dashboard.newPage(url, null, { userAgent: 'Mozilla/5.0 Chrome/140.0.0.0' });
    await waitFor('the exposure', async () => {
      const { variations } = await new Shop(dashboard.server).results('silent');
      return variations.some((it: { visitors: number }) => it.visitors === 1);
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await panel(page, 'Visitors').waitFor();
    // The site has no icon.
    dashboard.ignoreProblems(/404/);
  });

  it('end with the decision and its reason', async () => {
    const viewer = await dashboard.member('results@shop.example', 'viewer');
    const reader = await open('over', viewer);
    await reader.getByText('You need the editor role').waitFor();
    const page = await open('over');
    const decision = panel(page, 'Decision and learnings');
    await decision.getByRole('button', { name: 'Record decision' }).click();
    await decision.getByText('Say why, for whoever asks later').waitFor();
    await decision.getByLabel('Why, and what was learnt').fill('Too few visitors');
    await page.reload();
    await expect
      .poll(() => decision.getByLabel('Why, and what was learnt').inputValue())
      .toBe('Too few visitors');
    // Somebody else records another one meanwhile.
    await dashboard.owner.call('PATCH', '/v1/manage/properties/shop/split-tests/over', {
      body: { decision: { outcome: 'other', reason: 'Out of time' } },
      headers: { 'if-match': '*' },
    });
    await decision.getByRole('button', { name: 'Record decision' }).click();
    await page.getByRole('radio', { name: 'Yours' }).check();
    await page.getByRole('button', { name: 'Continue with this version' }).click();
    dashboard.ignoreProblems(/412/);
    await decision.getByRole('button', { name: 'Record decision' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await decision.getByRole('button', { name: 'Edit decision' }).waitFor();
    expect(await decision.textContent()).toContain('Too few visitors');
    const saved = await dashboard.owner.get('/v1/manage/properties/shop/split-tests/over');
    expect(saved.body.decision).toMatchObject({ outcome: 'other', reason: 'Too few visitors' });
  });

  it.each(['headline?by=device', 'skewed'])('are accessible in both themes: %s', async (path) => {
    const page = await open(path);
    await page.getByText('Method, p-values and intervals').press('Enter');
    await page.getByText('Sample ratio').waitFor();
    await expect.poll(() => page.getByRole('status', { name: /^Loading/ }).count()).toBe(0);
    await expectUsable(page);
  });
});
