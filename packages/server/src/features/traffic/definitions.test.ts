import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Query = Record<string, string>;
type Body = TestResponse['body'];

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const HOUR = 3_600_000;

let shop: Shop;
const opened = Date.now();
beforeAll(async () => {
  const allowedOrigins = ['https://shop.example', 'https://pay.example:8443'];
  shop = await openShop({ provision: sampleWith({ allowedOrigins }) });
  const visit = (sessionId: string, userAgent: string, ...views: object[]) =>
    shop.collect(
      {
        sessionId,
        visitorId: `v-${sessionId}`,
        events: views.map((it) => ({ type: 'pageview', ...it })),
      },
      { 'user-agent': userAgent },
    );
  await accepted(
    visit(
      'direct',
      FIREFOX,
      { url: 'https://shop.example/a', timestamp: opened - 2 },
      { url: 'https://shop.example/b', referrer: 'https://shop.example/a', timestamp: opened - 1 },
    ),
    visit('paid', FIREFOX, { url: '/thanks', referrer: 'https://pay.example:8443/done' }),
    visit('search', FIREFOX, { url: '/a', referrer: 'https://search.example/q' }),
    visit('nameless', FIREFOX, { referrer: 'https://search.example/q' }),
    visit('odd', 'odd client', { url: '(none)' }),
    visit('ahead', FIREFOX, { url: '/ahead', timestamp: opened + HOUR }),
    visit('crawler', CRAWLER, { url: '/a' }),
  );
  await accepted(shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId: 'direct' }));
  await accepted(
    shop.increment({ goalId: 'signup', sessionId: 'direct', amount: 12.5 }),
    shop.increment({ goalId: 'signup', sessionId: 'crawler' }),
    shop.increment({ goalId: 'signup' }),
    shop.increment({ goalId: 'revenue', sessionId: 'direct', amount: 20 }),
    shop.increment({ goalId: 'revenue', sessionId: 'crawler', amount: 7 }),
    shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId: 'direct' }),
    shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId: 'crawler' }),
    shop.submit({ feedbackTypeId: 'nps', option: 'bad' }),
  );
});
afterAll(() => closeShop(shop));

async function ask(path: string, query: Query = {}): Promise<Body> {
  const response = await shop.get(path, query);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const breakdown = async (by: string, query: Query = {}) => {
  const { rows } = await ask('/v1/traffic/breakdown', { by, ...query });
  return Object.fromEntries(rows.map(({ value, sessions }: Body) => [value, sessions]));
};

const listed = async (query: Query) =>
  (await shop.sessions({ bots: 'exclude', ...query })).sessions
    .map(({ sessionId }: Body) => sessionId)
    .toSorted();

describe('the entry of a session', () => {
  it('is its first page view, in lists, details and traffic', async () => {
    const { sessions } = await shop.sessions({});
    const entries = sessions.map((it: Body) => [it.sessionId, [it.entryUrl, it.exitUrl, it.referrer]]);
    expect(Object.fromEntries(entries)).toMatchObject({
      direct: ['https://shop.example/a', 'https://shop.example/b', null],
      paid: ['/thanks', '/thanks', null],
      search: ['/a', '/a', 'https://search.example/q'],
      nameless: [null, null, 'https://search.example/q'],
    });
    for (const { sessionId, referrer } of sessions) {
      expect((await shop.session(sessionId)).referrer).toBe(referrer);
    }
    expect(await breakdown('referrer')).toEqual({ null: 4, 'search.example': 2 });
    expect(await breakdown('entryPage', { referrer: 'search.example' })).toEqual({ '/a': 1, null: 1 });
    expect(await breakdown('entryPage')).toMatchObject({ '/a': 2, '/thanks': 1 });
    expect(await breakdown('exitPage')).toMatchObject({ '/a': 1, '/b': 1, '/thanks': 1 });
  });
});

describe('what is not known', () => {
  const rows: { query: Query; expected: string[] }[] = [
    { query: { page: '(none)' }, expected: ['nameless'] },
    { query: { page: '/(none)' }, expected: ['odd'] },
    { query: { device: '(none)' }, expected: ['odd'] },
    { query: { device: 'unknown' }, expected: ['odd'] },
    { query: { browser: 'unknown', os: '(none)' }, expected: ['odd'] },
  ];
  it.each(rows)('$query is the same in lists and in traffic', async ({ query, expected }) => {
    expect(await listed(query)).toEqual(expected);
    const { current } = await ask('/v1/traffic/summary', query);
    expect(current.sessions).toBe(expected.length);
  });
});

describe('a clock that is ahead', () => {
  it('does not move a visit into the future', async () => {
    const { startedAt } = await shop.session('ahead');
    expect(startedAt).toBeLessThanOrEqual(Date.now());
    expect(await breakdown('page', { entryPage: '/ahead' })).toEqual({ '/ahead': 1 });
  });
});

describe('crawlers', () => {
  it('are left out of traffic, goals and feedback alike', async () => {
    const { current } = await ask('/v1/traffic/summary');
    const [signup, revenue] = [await shop.progress('signup'), await shop.progress('revenue')];
    expect([signup.current.count, revenue.current.count]).toEqual([2, 1]);
    expect([signup.bots, revenue.bots]).toEqual([
      { increments: 1, decrements: 0 },
      { increments: 1, decrements: 0 },
    ]);
    expect(current.conversions).toBe(signup.current.count + revenue.current.count);
    expect(current.revenue).toBe(revenue.current.total);
    const counted = signup.series.reduce((sum: number, { count }: Body) => sum + count, 0);
    expect(counted).toBe(2);
    const feedback = await ask('/v1/feedback/summary');
    expect([feedback.total, feedback.bots.total, current.feedback]).toEqual([2, 1, 2]);
    expect(feedback.statuses).toEqual({ new: 2, seen: 0, done: 0 });
  });

  it.each([
    { bots: 'include', count: 3, total: 3 },
    { bots: 'only', count: 1, total: 1 },
    { bots: 'exclude', count: 2, total: 2 },
  ])('count as asked: $bots', async ({ bots, count, total }) => {
    const { current } = await shop.progress('signup', { bots });
    expect(current.count).toBe(count);
    const summary = await ask('/v1/feedback/summary', { bots });
    expect([summary.total, summary.bots.total]).toEqual([total, 1]);
    const { conversions } = await ask('/v1/goals/conversions', { goalId: 'signup', bots });
    expect(conversions).toHaveLength(count);
    const { feedback } = await shop.feedback({ bots });
    expect(feedback).toHaveLength(total);
  });

  it('are marked in lists and in the export', async () => {
    const { conversions } = await ask('/v1/goals/conversions', { goalId: 'signup' });
    const marks = conversions.map(({ sessionId, bot }: Body) => [sessionId, bot]);
    expect(marks.toSorted()).toEqual(
      [
        [null, false],
        ['crawler', true],
        ['direct', false],
      ].toSorted(),
    );
    const { feedback } = await shop.feedback();
    expect(feedback.filter(({ bot }: Body) => bot).map(({ sessionId }: Body) => sessionId)).toEqual([
      'crawler',
    ]);
    const { text } = await shop.get('/v1/feedback/export');
    const [head, ...lines] = text.trim().split('\r\n');
    expect(head).toMatch(/,bot$/);
    expect(lines.map((line) => line.split(',').at(-1)).toSorted()).toEqual(['false', 'false', 'true']);
  });
});
