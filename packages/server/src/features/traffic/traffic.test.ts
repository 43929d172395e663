import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { OTHER_SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Query = Record<string, string>;
type Body = TestResponse['body'];

/** The visits start at this time and an hour later. */
const BASE = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 60 * HOUR_MS;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  const visit = (visitorId: string, sessionId: string, userAgent: string, views: object[], country = 'NL') =>
    shop.collect(
      {
        sessionId,
        visitorId,
        attributes: { country },
        events: views.map((it) => ({ type: 'pageview', ...it })),
      },
      { 'user-agent': userAgent },
    );
  await accepted(
    visit('ann', 's1', FIREFOX, [
      {
        url: 'https://shop.example/?utm_source=spring+news&utm_medium=email',
        referrer: 'https://search.example/q?private=1',
        timestamp: BASE,
      },
      { url: 'https://shop.example/pricing?plan=pro#top', timestamp: BASE + 60_000 },
    ]),
    visit('ann', 's2', FIREFOX, [
      {
        url: 'https://shop.example/pricing',
        referrer: 'https://shop.example/',
        timestamp: BASE + HOUR_MS,
      },
    ]),
    visit('bob', 's3', IPHONE, [{ url: 'https://shop.example/', timestamp: BASE + HOUR_MS }], 'DE'),
    visit('crawler', 's4', CRAWLER, [{ url: 'https://shop.example/robots', timestamp: BASE }]),
  );
  await accepted(
    shop.increment({ goalId: 'revenue', sessionId: 's3', amount: 20 }),
    shop.decrement({ goalId: 'revenue', sessionId: 's3', amount: 4.5 }),
    shop.increment({ goalId: 'signup' }),
    shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId: 's3' }),
  );
});
afterAll(() => closeShop(shop));

async function ask(question: string, query: Query = {}): Promise<Body> {
  const response = await shop.get(`/v1/traffic/${question}`, query);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const period = (from: number, to: number) => ({ from: String(from), to: String(to) });

const NOTHING = {
  visitors: 0,
  sessions: 0,
  pageviews: 0,
  bounceRate: null,
  averageDurationSeconds: null,
  conversions: 0,
  revenue: 0,
  feedback: 0,
};

describe('summary', () => {
  it('has the totals of the last 30 days, without bots', async () => {
    const { from, to, asOf, ...summary } = await ask('summary');
    expect(to - from).toBe(30 * DAY_MS);
    expect(to - asOf).toBe(1);
    expect(summary).toEqual({
      timeZone: 'UTC',
      previousPeriod: { from: from - 30 * DAY_MS, to: from },
      current: {
        visitors: 2,
        sessions: 3,
        pageviews: 4,
        bounceRate: 1 / 3,
        averageDurationSeconds: 20,
        conversions: 1,
        revenue: 15.5,
        feedback: 1,
      },
      previous: NOTHING,
      bots: { sessions: 1, visitors: 1 },
    });
    const { current } = await ask('summary', { bots: 'only' });
    expect(current).toEqual({
      ...NOTHING,
      visitors: 1,
      sessions: 1,
      pageviews: 1,
      bounceRate: 1,
      averageDurationSeconds: 0,
    });
  });

  it('compares a period with the one before', async () => {
    const { current, previous } = await ask('summary', period(BASE + HOUR_MS - 1, BASE + 2 * HOUR_MS));
    expect([current.sessions, previous.sessions, current.conversions]).toEqual([2, 1, 0]);
    const later = await ask('summary', period(BASE + 2 * HOUR_MS - 1, BASE + 4 * HOUR_MS));
    expect([later.current, later.previous.visitors]).toEqual([NOTHING, 2]);
  });

  it.each([
    [{ page: '/pricing' }, 2],
    [{ page: '/' }, 2],
    [{ page: '/pricing', entryPage: '/' }, 1],
    [{ exitPage: '/pricing' }, 2],
    [{ referrer: 'search.example' }, 1],
    [{ referrer: '(none)' }, 2],
    [{ utmSource: 'spring news', utmMedium: 'email' }, 1],
    [{ utmSource: '(none)' }, 2],
    [{ country: 'DE' }, 1],
    [{ device: 'mobile' }, 1],
    [{ browser: 'Firefox', os: 'Linux' }, 2],
    [{ page: '/nowhere' }, 0],
  ])('%j matches %i sessions', async (filters, sessions) => {
    expect((await ask('summary', filters as Query)).current.sessions).toBe(sessions);
  });

  it('counts conversions and feedback of the sessions that match', async () => {
    const of = async (query: Query) => {
      const { conversions, revenue, feedback } = (await ask('summary', query)).current;
      return { conversions, revenue, feedback };
    };
    expect(await of({ device: 'mobile' })).toEqual({ conversions: 0, revenue: 15.5, feedback: 1 });
    expect(await of({ device: 'desktop' })).toEqual({ conversions: 0, revenue: 0, feedback: 0 });
  });
});

describe('series', () => {
  it('has every bucket of the period', async () => {
    const { interval, buckets } = await ask('series', period(BASE + 1, BASE + 3 * HOUR_MS));
    expect(interval).toBe('hour');
    expect(buckets.map((it: Body) => [it.at - BASE, it.visitors, it.sessions, it.bounceRate])).toEqual([
      [0, 0, 0, null],
      [HOUR_MS, 2, 2, 0.5],
      [2 * HOUR_MS, 0, 0, null],
    ]);
    expect(buckets.map(({ partial }: Body) => partial)).toEqual([true, undefined, undefined]);
    expect(Object.keys(buckets[1]).sort()).toEqual(
      ['at', ...Object.keys(NOTHING).filter((name) => name !== 'feedback')].sort(),
    );
  });

  it.each([
    [3, 'hour'],
    [92, 'day'],
    [93, 'week'],
    [600, 'month'],
  ])('of %i days is by %s', async (days, interval) => {
    const to = BASE + 2 * HOUR_MS;
    const found = await ask('series', period(to - days * DAY_MS, to));
    expect(found.interval).toBe(interval);
    const sessions = found.buckets.reduce((sum: number, bucket: Body) => sum + bucket.sessions, 0);
    expect(sessions).toBe(3);
    expect(found.buckets[0].at).toBeLessThanOrEqual(to - days * DAY_MS);
  });

  it('starts months on their first day and weeks on Mondays, UTC', async () => {
    const times = async (interval: string) => {
      const query = period(Date.UTC(2025, 10, 12), Date.UTC(2026, 1, 1));
      const { buckets } = await ask('series', { ...query, interval });
      return buckets.map(({ at }: Body) => new Date(at).toISOString().slice(0, 10));
    };
    expect(await times('month')).toEqual(['2025-11-01', '2025-12-01', '2026-01-01']);
    expect((await times('week')).slice(0, 2)).toEqual(['2025-11-10', '2025-11-17']);
  });
});

describe('breakdown', () => {
  it('counts a session for each page it viewed, most visitors first', async () => {
    const { by, rows, rest } = await ask('breakdown', { by: 'page' });
    expect([by, rest]).toEqual(['page', { rows: 0 }]);
    expect(rows).toEqual([
      { value: '/', visitors: 2, sessions: 2, pageviews: 2, bounceRate: 0 },
      { value: '/pricing', visitors: 1, sessions: 2, pageviews: 2, bounceRate: 0.5 },
    ]);
    const first = await ask('breakdown', { by: 'page', limit: '1' });
    expect([first.rows.length, first.rest]).toEqual([1, { rows: 1 }]);
    const { rows: ofBots } = await ask('breakdown', { by: 'page', bots: 'only' });
    expect(ofBots.map(({ value }: Body) => value)).toEqual(['/robots']);
  });

  it.each([
    ['entryPage', ['/', 2], ['/pricing', 1]],
    ['exitPage', ['/pricing', 2], ['/', 1]],
    ['referrer', [null, 2], ['search.example', 1]],
    ['utmSource', [null, 2], ['spring news', 1]],
    ['utmTerm', [null, 3]],
    ['country', ['NL', 2], ['DE', 1]],
    ['device', ['desktop', 2], ['mobile', 1]],
    ['browser', ['Firefox', 2], ['Safari', 1]],
    ['os', ['Linux', 2], ['iOS', 1]],
  ])('by %s', async (by, ...expected) => {
    const { rows } = await ask('breakdown', { by });
    expect(rows.map(({ value, sessions }: Body) => [value, sessions])).toEqual(expected);
  });
});

it('shows the visitors of the last minutes, by their last page and country', async () => {
  expect(await ask('live')).toEqual({
    at: expect.any(Number),
    visitors: 2,
    pages: [
      { page: '/', visitors: 1 },
      { page: '/pricing', visitors: 1 },
    ],
    countries: [
      { country: 'DE', visitors: 1 },
      { country: 'NL', visitors: 1 },
    ],
  });
});

it('shows what has been received', async () => {
  const times = { first: expect.any(Number), last: expect.any(Number) };
  expect(await ask('received')).toEqual({ session: times, exposure: null, goal: times, feedback: times });
});

it('keeps properties apart', async () => {
  const other = async (question: string, query = '') =>
    (
      await shop.server.call('GET', `/v1/traffic/${question}?propertyId=other${query}`, {
        key: OTHER_SECRET_KEY,
      })
    ).body;
  expect((await other('summary')).current).toEqual(NOTHING);
  expect((await other('breakdown', '&by=page')).rows).toEqual([]);
  expect((await other('live')).visitors).toBe(0);
  expect((await other('received')).session).toBeNull();
});

it.each([
  ['summary', { from: '5', to: '5' }, '/from'],
  ['summary', { from: '0' }, '/from'],
  ['summary', { country: '' }, '/country'],
  ['summary', { bots: 'include' }, '/bots'],
  ['series', { ...period(0, 1000 * DAY_MS), interval: 'hour' }, '/interval'],
  ['series', { interval: 'minute' }, '/interval'],
  ['breakdown', {}, '/by'],
  ['breakdown', { by: 'page', limit: '501' }, '/limit'],
])('%s refuses %j', async (question, query, pointer) => {
  const response = await shop.get(`/v1/traffic/${question}`, query as Query);
  expectProblem(response, { status: 400, code: 'invalid_request', pointers: [pointer] });
});
