import { TRAFFIC_DIMENSIONS } from '@switchyard/core/api/traffic';
import { DAY_MS } from '@switchyard/core/time';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AcceptedRequest, CollectedEvent, JournalEntry } from '../../accepted-request.ts';
import { type EventStore, LOCAL_SOURCE } from '../../event-store.ts';
import type { TrafficCounts, TrafficCountsQuery, TrafficFilters } from '../../traffic-queries.ts';
import { NaiveEventStore } from '../naive-event-store.contract.ts';
import { randomScenario, T0 } from '../random-requests.contract.ts';
import { collect, entry, exposure, exposures, goal } from '../sample-requests.contract.ts';
import {
  naiveBreakdown,
  naiveCounts,
  naiveLive,
  naiveParameterValues,
  naiveReceived,
} from './naive-traffic.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  journal: (requests: AcceptedRequest[]) => JournalEntry[];
  nextProperty: () => string;
  randomRuns: number;
}

const SEED = 20_251_116;

const DAY = { from: T0, to: T0 + DAY_MS, filters: {}, starts: [T0] };

const isEmpty = ({ sessions, conversions, amountMicros, feedback }: TrafficCounts) =>
  sessions + feedback === 0 && conversions === 0 && amountMicros === 0n;

/** Without empty buckets, which a store may return if conversions and reversals add up to zero. */
export const listed = (counts: TrafficCounts[]) =>
  counts.filter((it) => !isEmpty(it)).toSorted((a, b) => a.at - b.at || Number(a.bot) - Number(b.bot));

export const TRAFFIC_PERIODS = [
  { from: T0 - DAY_MS, to: T0 + 400 * DAY_MS, starts: [T0 - DAY_MS, T0 + 60, T0 + 20 * DAY_MS] },
  { from: T0 + 20, to: T0 + 120, starts: [T0, T0 + 50] },
];

/** Filters that match often in random data. */
export const TRAFFIC_FILTERS: readonly TrafficFilters[] = [
  {},
  { page: '/pricing' },
  { page: '/', device: 'mobile' },
  { page: null },
  { entryPage: '/' },
  { exitPage: null, country: 'DE' },
  { referrer: 'b.example:8080' },
  { referrer: null, browser: 'browser 1' },
  { utmSource: 'news' },
  { utmSource: null, os: 'Linux' },
  { utmMedium: 'e mail!', entryPage: '/pricing' },
  { utmCampaign: '%ff' },
  { device: null, country: null },
];

/** A parameter that random URLs have. */
export const PARAMETER = { name: 'utm_source', values: ['mail', 'news', 'News', 'a'] };

/** Runs one query of each kind; `part` chooses which. */
export async function compareTraffic(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
  part: number,
): Promise<void> {
  const traffic = model.traffic(propertyId);
  const filters = TRAFFIC_FILTERS[part % TRAFFIC_FILTERS.length]!;
  const query = { propertyId, ...TRAFFIC_PERIODS[part % TRAFFIC_PERIODS.length]!, filters };
  expect(listed(await store.trafficCounts(query)), JSON.stringify(query)).toEqual(
    listed(naiveCounts(traffic, query)),
  );
  const by = TRAFFIC_DIMENSIONS[(part * 2) % TRAFFIC_DIMENSIONS.length]!;
  const rows = { ...query, by, bot: part % 3 === 0, limit: 1 + (part % 4) };
  expect(await store.trafficBreakdown(rows), JSON.stringify(rows)).toEqual(naiveBreakdown(traffic, rows));
  const live = { propertyId, since: T0 + 10 * part, limit: 3 };
  expect(await store.liveVisitors(live)).toEqual(naiveLive(traffic, live));
  expect(await store.receivedTimes(propertyId)).toEqual(naiveReceived(traffic));
  const parameter = { ...PARAMETER, propertyId, from: T0 + 10 * part };
  expect(await store.parameterValues(parameter)).toEqual(naiveParameterValues(traffic, parameter));
}

/** The contract of queries about traffic. */
export function describeTraffic({ store, add, journal, nextProperty, randomRuns }: Suite): void {
  const view = (at: number, url: string, referrer = ''): CollectedEvent => ({
    type: 'pageview',
    at: T0 + at,
    url,
    referrer,
  });
  const countsOf = async (propertyId: string, query: Partial<TrafficCountsQuery> = {}) =>
    listed(await store().trafficCounts({ propertyId, ...DAY, ...query }));

  test('counts sessions, visitors, bounces and durations, with bots apart', async () => {
    const propertyId = nextProperty();
    const session = (sessionId: string, visitorId: string, events: CollectedEvent[], device = 'desktop') =>
      collect({ propertyId, sessionId, visitorId, device, receivedAt: T0 + 9000 }, events);
    await add(
      session('bounced', 'ann', [view(0, '/')]),
      session('long', 'ann', [view(10, '/'), view(5010, '/b')]),
      session('clicked', 'bob', [view(20, '/'), { type: 'event', at: T0 + 20, name: 'click' }]),
      session('answered', 'cat', [view(30, '/')]),
      entry({ propertyId, sessionId: 'answered', receivedAt: T0 + 9500 }),
      session('crawler', 'dog', [view(40, '/')], 'bot'),
      session('headless', 'eve', [view(50, '/')]),
      exposures(propertyId, T0 + 60, [{ ...exposure('headless', T0 + 60), bot: true }]),
    );
    const none = { conversions: 0, amountMicros: 0n };
    expect(await countsOf(propertyId)).toEqual([
      {
        at: T0,
        bot: false,
        visitors: 3,
        sessions: 4,
        pageviews: 5,
        bounces: 1,
        durationMs: 5000,
        ...none,
        feedback: 1,
      },
      {
        at: T0,
        bot: true,
        visitors: 2,
        sessions: 2,
        pageviews: 2,
        bounces: 2,
        durationMs: 10,
        ...none,
        feedback: 0,
      },
    ]);
  });

  test('a session that only a backend reports lasts until its last event', async () => {
    const propertyId = nextProperty();
    const ordered = goal({ propertyId, sessionId: 'backend', receivedAt: T0 + 10 });
    const answered = entry({ propertyId, sessionId: 'backend', receivedAt: T0 + 3010 });
    await add(ordered, answered);
    expect(await countsOf(propertyId)).toMatchObject([{ sessions: 1, pageviews: 0, durationMs: 3000 }]);
  });

  test('counts conversions when they happen, and without a session only if there is no filter', async () => {
    const propertyId = nextProperty();
    const at = (time: number, more: object = {}) => goal({ propertyId, receivedAt: time, ...more });
    await add(
      collect({ propertyId, sessionId: 'old', receivedAt: T0 - DAY_MS, country: 'NL' }, [view(-DAY_MS, '/')]),
      at(T0 + 1, { sessionId: 'old', amountMicros: 5_000_000 }),
      at(T0 + 2, { sessionId: 'old', amountMicros: -2_000_000, direction: -1 }),
      at(T0 + 3, { sessionId: 'old' }),
      at(T0 + 4),
      at(T0 + DAY_MS, { sessionId: 'old' }),
    );
    const found = async (filters: TrafficFilters) =>
      (await countsOf(propertyId, { filters })).map((it) => [it.sessions, it.conversions, it.amountMicros]);
    expect(await found({})).toEqual([[0, 2, 3_000_000n]]);
    expect(await found({ country: 'NL' })).toEqual([[0, 1, 3_000_000n]]);
    expect(await found({ country: 'DE' })).toEqual([]);
  });

  test('the referrer is that of the first page view, unless that is a page of the property', async () => {
    const propertyId = nextProperty();
    const visit = (sessionId: string, ...views: [url: string | undefined, referrer: string][]) =>
      collect(
        { propertyId, sessionId, receivedAt: T0 + 9 },
        views.map(([url, referrer], index) => ({
          type: 'pageview',
          at: T0 + index,
          referrer,
          ...(url !== undefined && { url }),
        })),
      );
    await add(
      visit('direct', ['https://shop.example/a', ''], ['https://shop.example/b', 'https://shop.example/a']),
      visit('own page', ['https://shop.example/b', 'https://SHOP.example/a']),
      visit('own host', ['/b', 'https://pay.example/done']),
      visit('other', ['https://shop.example/a', 'https://news.example/x'], ['/b', 'https://late.example']),
      visit('no url', [undefined, 'https://news.example/y'], ['/b', ''], [undefined, '']),
    );
    const ownHosts = ['pay.example'];
    const { rows } = await store().sessionPage({ propertyId, limit: 9, ownHosts });
    const listed = rows.map((it) => [it.sessionId, [it.entryUrl, it.exitUrl, it.referrer]] as const);
    expect(Object.fromEntries(listed)).toEqual({
      direct: ['https://shop.example/a', 'https://shop.example/b', null],
      'own page': ['https://shop.example/b', 'https://shop.example/b', null],
      'own host': ['/b', '/b', null],
      other: ['https://shop.example/a', '/b', 'https://news.example/x'],
      'no url': [null, null, 'https://news.example/y'],
    });
    for (const { sessionId, referrer } of rows) {
      const detail = await store().session({ propertyId, sessionId, limit: 1, ownHosts });
      expect(detail?.referrer).toBe(referrer);
    }
    const by = async (dimension: 'referrer' | 'entryPage' | 'exitPage', filters: TrafficFilters = {}) => {
      const query = { propertyId, ...DAY, ownHosts, filters, by: dimension, bot: false, limit: 9 };
      const found = (await store().trafficBreakdown(query)).rows;
      return Object.fromEntries(found.map(({ value, sessions }) => [value, sessions]));
    };
    expect(await by('referrer')).toEqual({ null: 3, 'news.example': 2 });
    expect(await by('entryPage', { referrer: 'news.example' })).toEqual({ '/a': 1, null: 1 });
    expect(await by('exitPage', { referrer: null })).toEqual({ '/b': 3 });
  });

  test('revenue is what revenue goals booked', async () => {
    const propertyId = nextProperty();
    const book = (goalId: string, amountMicros: number) =>
      goal({ propertyId, goalId, receivedAt: T0 + 1, amountMicros });
    await add(book('revenue', 5), book('signup', 12), book('unknown', 7));
    const amounts = async (revenueGoalIds: string[]) =>
      (await countsOf(propertyId, { revenueGoalIds })).map((it) => [it.conversions, it.amountMicros]);
    expect(await amounts(['revenue', 'never used'])).toEqual([[3, 5n]]);
    expect(await amounts([])).toEqual([[3, 0n]]);
  });

  test('sums money exactly', async () => {
    const propertyId = nextProperty();
    const amountMicros = Number.MAX_SAFE_INTEGER;
    await add(...[1, 2, 3].map((at) => goal({ propertyId, receivedAt: T0 + at, amountMicros })));
    expect((await countsOf(propertyId))[0]?.amountMicros).toBe(3n * BigInt(amountMicros));
  });

  test('accepts any text in URLs and filters', async () => {
    const propertyId = nextProperty();
    const texts = [
      '/\'"\\;--%_$1',
      '/a\0b',
      '/é😀\n\t',
      '/(.*)[x]{2}^|+',
      `/${'x'.repeat(600)}`,
      '/\u202e',
      '//a',
      '/https://b/c',
    ];
    await add(
      ...texts.map((url, index) =>
        collect({ propertyId, sessionId: `s${index}`, visitorId: `v${index}`, receivedAt: T0 + 5 }, [
          view(index, `https://shop.example${url}?utm_source=${encodeURIComponent(url)}`, `https://${url}`),
        ]),
      ),
    );
    const query = { propertyId, ...DAY, bot: false, limit: 10 };
    const { rows } = await store().trafficBreakdown({ ...query, by: 'page' });
    expect(rows.map(({ value }) => value).toSorted()).toEqual(
      texts.map((text) => text.slice(0, 500)).toSorted(),
    );
    for (const { value: page } of rows) {
      for (const filters of [{ page }, { entryPage: page }, { utmSource: page }]) {
        const found = await store().trafficBreakdown({ ...query, filters, by: 'exitPage' });
        expect(found.rows.map(({ value, sessions }) => [value, sessions])).toEqual([[page, 1]]);
      }
    }
    expect((await store().trafficBreakdown({ ...query, filters: { page: 'x' }, by: 'os' })).rows).toEqual([]);
  });

  test('has live visitors by the page they viewed last', async () => {
    const propertyId = nextProperty();
    const seen = (visitorId: string, receivedAt: number, url: string, country: string) =>
      collect({ propertyId, sessionId: `${visitorId}-${url}`, visitorId, receivedAt, country }, [
        view(receivedAt - T0, url),
      ]);
    await add(
      seen('ann', T0 + 100, '/a', 'NL'),
      seen('ann', T0 + 200, '/b', 'DE'),
      seen('bob', T0 + 150, '/b', 'DE'),
      seen('late', T0 + 99, '/a', 'NL'),
      exposures(propertyId, T0 + 160, [exposure('unknown', T0)]),
    );
    expect(await store().liveVisitors({ propertyId, since: T0 + 100, limit: 1 })).toEqual({
      visitors: 3,
      pages: [{ value: '/b', visitors: 2 }],
      countries: [{ value: 'DE', visitors: 2 }],
    });
  });

  test('finds values of a query parameter in page views, whole and in the query', async () => {
    const propertyId = nextProperty();
    const seen = (sessionId: string, at: number, url: string, device = 'desktop') =>
      collect({ propertyId, sessionId, device, receivedAt: T0 + at }, [view(at, url)]);
    const values = ['b', 'control', 'b+c', 'x.y'];
    const found = (more: object = {}) =>
      store().parameterValues({ propertyId, name: 'sy_a.b', values, from: T0, ...more });
    expect(await found()).toEqual([]);
    await add(
      seen('s1', 1, 'https://shop.example/?q=1&sy_a.b=bb'),
      seen('s2', 2, '/#?sy_a.b=b'),
      seen('s3', 3, '/?xsy_a.b=b&sy_aXb=b&q=sy_a.b=b'),
      seen('s4', 4, '/?sy_a.b=xzy'),
      seen('crawler', 5, '/?sy_a.b=control', 'bot'),
      collect({ propertyId, receivedAt: T0 + 6 }, [
        { type: 'event', at: T0 + 6, name: 'x', url: '/?sy_a.b=b' },
      ]),
      collect({ propertyId, receivedAt: T0 + 7 }, [{ type: 'pageview', at: T0 + 7 }]),
    );
    expect(await found()).toEqual([]);
    await add(
      seen('s5', 10, 'https://shop.example/?q=1&sy_a.b=b+c&r=2'),
      seen('s6', 20, '/a/b?sy_a.b=b#top'),
      seen('s7', 30, '?sy_a.b=x.y'),
    );
    expect(await found()).toEqual(['b', 'b+c', 'x.y']);
    expect(await found({ from: T0 + 20 })).toEqual(['b', 'x.y']);
    expect(await found({ values: [] })).toEqual([]);
    expect(await found({ propertyId: 'unknown' })).toEqual([]);
  });

  test('counts outcomes of bots whose session started before the period', async () => {
    const propertyId = nextProperty();
    await add(
      collect({ propertyId, sessionId: 'crawler', device: 'bot', receivedAt: T0 }, [view(0, '/')]),
      entry({ propertyId, sessionId: 'crawler', receivedAt: T0 + 3 * DAY_MS }),
      entry({ propertyId, receivedAt: T0 + 3 * DAY_MS }),
    );
    const late = { from: T0 + 2 * DAY_MS, to: T0 + 4 * DAY_MS, starts: [T0 + 2 * DAY_MS] };
    expect(await countsOf(propertyId, late)).toMatchObject([
      { bot: false, feedback: 1 },
      { bot: true, feedback: 1 },
    ]);
  });

  test('knows what was received first and last, also after further events and erasures', async () => {
    const propertyId = nextProperty();
    const nothing = { session: null, exposure: null, goal: null, feedback: null };
    const seen = (visitorId: string, at: number) =>
      collect({ propertyId, sessionId: visitorId, visitorId, receivedAt: T0 + at }, [view(at, '/')]);
    const times = (first: number, last: number) => ({ first: T0 + first, last: T0 + last });
    expect(await store().receivedTimes(propertyId)).toEqual(nothing);
    await add(seen('ann', 10), seen('bob', 20));
    expect(await store().receivedTimes(propertyId)).toEqual({ ...nothing, session: times(10, 20) });
    await add(seen('cat', 30), entry({ propertyId, receivedAt: T0 + 40 }));
    const now = { ...nothing, session: times(10, 30), feedback: times(40, 40) };
    expect(await store().receivedTimes(propertyId)).toEqual(now);
    await store().forget([{ propertyId, visitorId: 'ann' }]);
    expect(await store().receivedTimes(propertyId)).toEqual({ ...now, session: times(20, 30) });
  });

  test('knows no traffic of an unknown property', async () => {
    const propertyId = 'unknown';
    expect(await countsOf(propertyId)).toEqual([]);
    const breakdown = { propertyId, ...DAY, by: 'page', bot: false, limit: 1 } as const;
    expect(await store().trafficBreakdown(breakdown)).toEqual({ rows: [], values: 0 });
    const nobody = { visitors: 0, pages: [], countries: [] };
    expect(await store().liveVisitors({ propertyId, since: T0, limit: 1 })).toEqual(nobody);
    const nothing = { session: null, exposure: null, goal: null, feedback: null };
    expect(await store().receivedTimes(propertyId)).toEqual(nothing);
  });

  test('can be cancelled, and leaves the store usable', async () => {
    const propertyId = nextProperty();
    await add(collect({ propertyId, receivedAt: T0 }, [view(0, '/')]));
    const controller = new AbortController();
    const counting = store().trafficCounts({ propertyId, ...DAY }, controller.signal);
    controller.abort();
    await counting.catch(() => undefined);
    expect(await countsOf(propertyId)).toHaveLength(1);
  });

  test(`counts random traffic as a naive model does (seed ${SEED})`, async () => {
    const random = fc.asyncProperty(randomScenario, async ({ batches }) => {
      const propertyId = nextProperty();
      const model = new NaiveEventStore();
      const entries = journal(batches.flat().map((request) => ({ ...request, propertyId })));
      await store().append(LOCAL_SOURCE, entries);
      for (const it of entries) model.append(it);
      for (let part = 0; part < TRAFFIC_FILTERS.length; part++) {
        await compareTraffic(store(), model, propertyId, part);
      }
    });
    // Each run asks with every filter, so that it has all statements.
    await fc.assert(random, { seed: SEED, numRuns: Math.min(randomRuns, 3), endOnFailure: true });
  });
}
