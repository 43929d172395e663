import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedCollect, AcceptedRequest, CollectedEvent } from '../accepted-request.ts';
import type { EventStore } from '../event-store.ts';
import type { MetricGroup, MetricTerm, SplitTestMetricsQuery } from '../metric-queries.ts';
import type { SplitTestQuery } from '../split-test-queries.ts';
import { metricsQueryOf, rounded } from './compare-metrics.contract.ts';
import { T0 } from './random-requests.contract.ts';
import { collect, exposure, exposures, goal, splitTestQuery } from './sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

type Times = readonly number[];

/** Long after all windows. */
const LATER = T0 + 900 * DAY_MS;

const orders = { goalId: 'order', of: 'count' } as const;
const revenue = { goalId: 'order', of: 'sum' } as const;

/** What one visitor did, as requests; times are offsets from `T0`. The session has the name of the visitor. */
export class Story {
  readonly #propertyId: string;
  readonly #name: string;
  readonly requests: AcceptedRequest[] = [];

  constructor(propertyId: string, name: string) {
    this.#propertyId = propertyId;
    this.#name = name;
  }

  sees(at = 0, options: { variation?: string; phase?: number; bot?: true } = {}): this {
    const { variation: variationKey = 'a', ...rest } = options;
    const seen = { ...exposure(this.#name, T0 + at), variationKey, ...rest };
    this.requests.push(exposures(this.#propertyId, T0 + at, [seen]));
    return this;
  }

  collects(events: readonly CollectedEvent[], options: Partial<AcceptedCollect> = {}): this {
    const receivedAt = options.receivedAt ?? Math.max(...events.map(({ at }) => at));
    const who = { propertyId: this.#propertyId, sessionId: this.#name, visitorId: `visitor ${this.#name}` };
    this.requests.push(collect({ ...who, ...options, receivedAt }, [...events]));
    return this;
  }

  views(...pages: readonly [at: number, url?: string][]): this {
    return this.collects(
      pages.map(([at, url]) => ({ type: 'pageview', at: T0 + at, ...(url !== undefined && { url }) })),
    );
  }

  does(name: string, times: Times, properties?: object): this {
    const more = properties && { properties: JSON.stringify(properties) };
    return this.collects(times.map((at) => ({ type: 'event', at: T0 + at, name, ...more })));
  }

  reaches(goalId: string, times: Times, amount = 0, direction: 1 | -1 = 1): this {
    const what = { propertyId: this.#propertyId, sessionId: this.#name, goalId, direction };
    const amountMicros = Math.round(direction * amount * 1e6);
    this.requests.push(...times.map((at) => goal({ ...what, receivedAt: T0 + at, amountMicros })));
    return this;
  }

  refunds(goalId: string, at: number, amount: number): this {
    return this.reaches(goalId, [at], amount, -1);
  }
}

/** A group in short. */
const short = ({ visitors, pending, reached, value, denominator, product, steps }: MetricGroup) => ({
  visitors,
  ...(pending > 0 && { pending }),
  reached,
  sum: value.sum,
  squares: value.sumSquares,
  ...(denominator.sum !== 0 && { of: denominator.sum, ofSquares: denominator.sumSquares, product }),
  ...(steps && { steps }),
});

type Definition<T = MetricTerm> = T extends MetricTerm ? Omit<T, 'metricId'> : never;

/** The contract for metrics of a phase of a test, and for their baseline. */
export function describeMetrics({ store, add, nextProperty }: Suite): void {
  const story = (p: string, name: string) => new Story(p, name);
  const tell = (...stories: Story[]) => add(...stories.flatMap(({ requests }) => requests));
  const named = (definitions: Record<string, Definition>) =>
    Object.entries(definitions).map(([metricId, it]): MetricTerm => ({ metricId, ...it }));
  const queryOf = (
    propertyId: string,
    metrics: readonly MetricTerm[],
    { now = LATER, ...more }: Partial<SplitTestQuery> & { now?: number } = {},
  ): SplitTestMetricsQuery =>
    metricsQueryOf(splitTestQuery({ propertyId, variationKeys: ['a', 'b'], ...more }), metrics, now);
  /** The groups of each metric in short: of one group, without its properties. */
  const sumsOf = async (
    p: string,
    definitions: Record<string, Definition>,
    options?: Parameters<typeof queryOf>[2],
  ) => {
    const { groups } = await store().splitTestMetrics(queryOf(p, named(definitions), options));
    return Object.fromEntries(
      Object.keys(definitions).map((id) => [
        id,
        groups.filter(({ metricId }) => metricId === id).map((it) => rounded(short(it))),
      ]),
    );
  };
  const quantilesOf = async (
    p: string,
    definitions: Record<string, Definition>,
    options?: Parameters<typeof queryOf>[2],
  ) => {
    const { quantiles } = await store().splitTestMetrics(queryOf(p, named(definitions), options));
    return quantiles.map(({ variationKey, includeBots, ...it }) => [
      `${it.metricId}: ${variationKey}${includeBots ? ' with bots' : ''}`,
      it,
    ]);
  };
  const within = (withinMs: number | null = null) => ({ withinMs, cap: null });

  test('windows of visitors: from the exposure on, to the millisecond; pending visitors are in no sum', async () => {
    const p = nextProperty();
    const times = [-1, 0, HOUR_MS - 1, HOUR_MS];
    await tell(
      story(p, 's1')
        .sees()
        .reaches('order', times, 10)
        .refunds('order', 5, 4)
        .views(...times.map((at) => [at] as [number])),
      story(p, 's2')
        .sees(1)
        .reaches('order', [1, HOUR_MS, HOUR_MS + 1], 1),
      story(p, 's3').sees(2),
    );
    const mean = (value: typeof orders | typeof revenue | { path: null }, window: number | null = null) =>
      ({ kind: 'mean', value, ...within(window) }) as const;
    const metrics = {
      orders: mean(orders, HOUR_MS),
      revenue: mean(revenue, HOUR_MS),
      views: mean({ path: null }, HOUR_MS),
      all: mean(revenue),
    };
    const both = {
      orders: [{ visitors: 2, pending: 1, reached: 2, sum: 1 + 2, squares: 1 + 4 }],
      revenue: [{ visitors: 2, pending: 1, reached: 2, sum: 16 + 2, squares: 256 + 4 }],
      views: [{ visitors: 2, pending: 1, reached: 1, sum: 2, squares: 4 }],
      all: [{ visitors: 3, reached: 2, sum: 26 + 3, squares: 26 ** 2 + 9 }],
    };
    expect(await sumsOf(p, metrics, { now: T0 + HOUR_MS + 1 })).toEqual(both);
    const first = await sumsOf(p, metrics, { now: T0 + HOUR_MS });
    expect(first.orders).toEqual([{ visitors: 1, pending: 2, reached: 1, sum: 1, squares: 1 }]);
    // The window goes on after the phase; without one, what is counted ends with it.
    const ended = { now: T0 + HOUR_MS + 1, endsAt: T0 + 100, until: T0 + 100 };
    expect(await sumsOf(p, metrics, ended)).toEqual({
      ...both,
      all: [{ visitors: 3, reached: 2, sum: 6 + 1, squares: 36 + 1 }],
    });
    expect(await sumsOf(p, metrics, { now: T0 })).toMatchObject({
      orders: [{ visitors: 0, pending: 3, reached: 0, sum: 0 }],
    });
  });

  test('caps of counts and sums, also fractions; refunds are not capped', async () => {
    const p = nextProperty();
    await tell(
      story(p, 's1').sees().reaches('order', [1, 2, 3], 0.000001),
      story(p, 's2').sees().reaches('order', [1], 20).reaches('tip', [2], 7),
      story(p, 's3').sees().refunds('order', 1, 50),
    );
    const sums = await sumsOf(p, {
      orders: { kind: 'mean', value: orders, withinMs: null, cap: 2.5 },
      whole: { kind: 'mean', value: orders, withinMs: null, cap: 2 },
      revenue: { kind: 'mean', value: revenue, withinMs: null, cap: 12.25 },
      ratio: { kind: 'ratio', numerator: revenue, denominator: orders, withinMs: null, cap: 12.25 },
    });
    const revenueSum = { reached: 2, sum: 0.000003 + 12.25 - 50, squares: rounded(12.25 ** 2 + 2500) };
    expect(sums).toEqual({
      orders: [{ visitors: 3, reached: 2, sum: 2.5 + 1 - 1, squares: 6.25 + 2 }],
      whole: [{ visitors: 3, reached: 2, sum: 2, squares: 4 + 2 }],
      revenue: [{ visitors: 3, ...revenueSum }],
      ratio: [{ visitors: 3, ...revenueSum, of: 3, ofSquares: 11, product: rounded(0.000009 + 12.25 + 50) }],
    });
  });

  test('ratios of goals, pages and events by visitor', async () => {
    const p = nextProperty();
    await tell(
      story(p, 's1').sees().does('error', [1, 2]).views([1, '/a'], [2, '/b'], [3, '/c']),
      story(p, 's2').sees().views([4, '/a']),
      story(p, 's3').sees().does('error', [4]).does('other', [5]),
      story(p, 's4').sees(),
    );
    expect(
      await sumsOf(p, {
        errors: { kind: 'ratio', numerator: { event: 'error' }, denominator: { path: null }, ...within() },
        none: { kind: 'ratio', numerator: { event: 'none' }, denominator: { path: '/z' }, ...within(9) },
      }),
    ).toEqual({
      errors: [{ visitors: 4, reached: 2, sum: 3, squares: 5, of: 4, ofSquares: 10, product: 6 }],
      none: [{ visitors: 4, reached: 0, sum: 0, squares: 0 }],
    });
  });

  test('retention: activity of browsers or a goal between two times, both to the millisecond', async () => {
    const p = nextProperty();
    const [from, to] = [DAY_MS, 2 * DAY_MS];
    await tell(
      story(p, 'too early')
        .sees()
        .views([from - 1]),
      story(p, 'first').sees().views([from]),
      story(p, 'last')
        .sees()
        .does('ping', [to - 1]),
      story(p, 'too late').sees().views([to]),
      story(p, 'seen again')
        .sees()
        .sees(from + 5),
      story(p, 'heartbeat')
        .sees()
        .collects([], { receivedAt: T0 + from + 5 }),
      story(p, 'ordered')
        .sees()
        .reaches('order', [from + 1, from + 2], 3),
      // What a server sends is no activity, and a reversal is no conversion.
      story(p, 'refunded')
        .sees()
        .reaches('order', [1], 3)
        .refunds('order', from + 1, 3),
      story(p, 'reversed later')
        .sees()
        .reaches('order', [from], 3)
        .refunds('order', from + 1, 3),
    );
    const period = { fromMs: from, toMs: to } as const;
    const metrics = {
      back: { kind: 'retention', ...period, goalId: null },
      ordered: { kind: 'retention', ...period, goalId: 'order' },
      unknown: { kind: 'retention', ...period, goalId: 'none' },
    } as const;
    expect(await sumsOf(p, metrics, { now: T0 + to })).toEqual({
      back: [{ visitors: 9, reached: 4, sum: 4, squares: 4 }],
      ordered: [{ visitors: 9, reached: 2, sum: 2, squares: 2 }],
      unknown: [{ visitors: 9, reached: 0, sum: 0, squares: 0 }],
    });
    expect(await sumsOf(p, metrics, { now: T0 + to - 1 })).toMatchObject({
      back: [{ visitors: 0, pending: 9, reached: 0 }],
    });
  });

  test('funnels: steps in order, each event once, and several in one millisecond', async () => {
    const p = nextProperty();
    await tell(
      story(p, 'all').sees().views([1, '/cart?x=1'], [2, '/pay']).reaches('order', [3], 1),
      story(p, 'same time').sees().reaches('order', [5], 1).views([5, '/pay'], [5, '/cart']),
      story(p, 'wrong order').sees().reaches('order', [1], 1).views([2, '/pay'], [3, '/cart']),
      story(p, 'again').sees().views([1, '/pay'], [2, '/cart'], [3, '/cart'], [4, '/pay']),
      story(p, 'before').sees(10).views([9, '/cart'], [11, '/pay']).reaches('order', [12], 1),
      story(p, 'refunded').sees().views([1, '/cart'], [2, '/pay']).refunds('order', 3, 1),
      story(p, 'too late').sees().views([1, '/cart'], [2, '/pay']).reaches('order', [HOUR_MS], 1),
    );
    const funnel = (...steps: Extract<MetricTerm, { kind: 'funnel' }>['steps']) =>
      ({ kind: 'funnel', steps, withinMs: HOUR_MS }) as const;
    expect(
      await sumsOf(p, {
        order: funnel({ path: '/cart' }, { path: '/pay' }, { goalId: 'order' }),
        twice: funnel({ path: '/cart' }, { path: '/cart' }),
        // One event is one step: the page that only the first step matches is the first step.
        overlapping: funnel({ path: '/*' }, { path: '/cart' }),
        three: funnel({ path: '*a*' }, { path: '/*' }, { path: '/pay' }),
      }),
    ).toEqual({
      order: [{ visitors: 7, reached: 2, sum: 2, squares: 2, steps: [6, 5, 2] }],
      twice: [{ visitors: 7, reached: 1, sum: 1, squares: 1, steps: [6, 1] }],
      overlapping: [{ visitors: 7, reached: 3, sum: 3, squares: 3, steps: [7, 3] }],
      three: [{ visitors: 7, reached: 1, sum: 1, squares: 1, steps: [7, 6, 1] }],
    });
  });

  test('bounces: sessions that begin after the exposure, by their first page', async () => {
    const p = nextProperty();
    const session = (name: string, visitorId: string, ...pages: [at: number, url: string][]) =>
      story(p, name).collects(
        pages.map(([at, url]) => ({ type: 'pageview', at: T0 + at, url })),
        { visitorId },
      );
    await tell(
      story(p, 'first')
        .sees(10)
        .collects([], { receivedAt: T0 + 1, visitorId: 'v' }),
      // Began before the exposure.
      session('first', 'v', [9, '/sale'], [30, '/sale']),
      session('single', 'v', [11, '/sale']),
      session('double', 'v', [12, '/sale'], [13, '/b']),
      session('other', 'v', [14, '/b'], [15, '/sale']),
      // The second page view is after the window.
      session('late', 'v', [HOUR_MS + 9, '/sale'], [HOUR_MS + 10, '/b']),
      session('too late', 'v', [HOUR_MS + 10, '/sale']),
      session('nobody', 'w', [11, '/sale']),
      story(p, 'no page').does('ping', [20]),
    );
    expect(
      await sumsOf(p, {
        any: { kind: 'bounce', path: null, withinMs: HOUR_MS },
        sale: { kind: 'bounce', path: '/sale*', withinMs: HOUR_MS },
        ever: { kind: 'bounce', path: '/sale', withinMs: null },
      }),
    ).toEqual({
      any: [{ visitors: 1, reached: 1, sum: 2, squares: 4, of: 4, ofSquares: 16, product: 8 }],
      sale: [{ visitors: 1, reached: 1, sum: 2, squares: 4, of: 3, ofSquares: 9, product: 6 }],
      ever: [{ visitors: 1, reached: 1, sum: 2, squares: 4, of: 4, ofSquares: 16, product: 8 }],
    });
  });

  test('quantiles of amounts and of properties, with a standard error by visitor', async () => {
    const p = nextProperty();
    const load = (name: string, ...values: unknown[]) => {
      const own = story(p, name).sees();
      for (const [index, ms] of values.entries())
        own.does('load', [index + 1], { 'a/b~"*': ms, more: { ms } });
      return own;
    };
    await tell(
      load('s1', 1, 2, 3, 4),
      load('s2', 10, 20, 30),
      load('s3', 5, 'text', '7', null, true, [1], {}, -0.5),
      load('s4'),
      load('s5', 100).does('other', [3], { 'a/b~"*': 1 }),
      story(p, 'bot').sees(0, { bot: true }).does('load', [3], { 'a/b~"*': 1000 }),
      story(p, 'b').sees(0, { variation: 'b' }).reaches('order', [1, 2], 12.5).refunds('order', 3, 99),
      story(p, 'pending').sees(50),
    );
    const found = await quantilesOf(
      p,
      {
        p50: {
          kind: 'quantile',
          quantile: 0.5,
          value: { event: 'load', property: 'a/b~"*' },
          withinMs: null,
        },
        amount: { kind: 'quantile', quantile: 0.99, value: { goalId: 'order' }, withinMs: 20 },
      },
      { now: T0 + 60 },
    );
    // Shares up to 5: 4 of 4, 0 of 3, 2 of 2 and 0 of 1, so 6 of 10, and the residuals are 1.6, -1.8, 0.8 and -0.6.
    const error = Math.sqrt(((1.6 ** 2 + 1.8 ** 2 + 0.8 ** 2 + 0.6 ** 2) / 100) * (4 / 3));
    const values = [-0.5, 1, 2, 3, 4, 5, 10, 20, 30, 100];
    const at = (share: number) => values[Math.min(10, Math.max(1, Math.ceil(share * 10))) - 1]!;
    expect(at(0.5)).toBe(4);
    const none = { visitors: 0, values: 0, value: null, standardError: null, pending: 0 };
    const amounts = {
      metricId: 'amount',
      visitors: 1,
      values: 2,
      value: 12.5,
      standardError: null,
      pending: 0,
    };
    const byName = Object.fromEntries(found) as Record<string, { value: number; standardError: number }>;
    expect(byName['amount: a']).toEqual({ ...none, metricId: 'amount', pending: 1 });
    expect(byName['amount: b with bots']).toEqual(amounts);
    expect(byName['amount: b']).toEqual(amounts);
    expect(byName['p50: b']).toEqual({ ...none, metricId: 'p50' });
    expect(byName['p50: a']).toMatchObject({ visitors: 4, values: 10, pending: 0, value: 4 });
    // Shares up to 4 are 5 of 10.
    const own = Math.sqrt(((2 ** 2 + 1.5 ** 2 + 0 + 0.5 ** 2) / 100) * (4 / 3));
    expect(own).not.toBeCloseTo(error);
    expect(byName['p50: a']!.standardError).toBeCloseTo(
      (at(0.5 + 1.96 * own) - at(0.5 - 1.96 * own)) / 3.92,
      9,
    );
    expect(byName['p50: a with bots']).toMatchObject({ visitors: 5, values: 11, value: 5 });
    expect(found).toHaveLength(8);
  });

  test('counts the visitors of the results: not mixed, not moved, until a later phase, crawlers apart', async () => {
    const p = nextProperty();
    const change = 10 * DAY_MS;
    const ordered = (name: string) => story(p, name).reaches('order', [1, change + 1, change + 3], 1);
    await tell(
      ordered('stays')
        .sees(0, { phase: 1 })
        .sees(change + 2, { phase: 2 })
        .views([change + 1], [change + 2]),
      ordered('moved')
        .sees(0, { phase: 1, variation: 'b' })
        .sees(change + 2, { phase: 2 }),
      ordered('mixed').sees(0, { phase: 1 }).sees(1, { phase: 1, variation: 'b' }),
      ordered('bot').sees(0, { phase: 1, bot: true }),
    );
    const metrics = named({
      orders: { kind: 'mean', value: orders, ...within(100 * DAY_MS) },
      views: { kind: 'mean', value: { path: null }, ...within(100 * DAY_MS) },
      back: { kind: 'retention', fromMs: change, toMs: change + 100, goalId: null },
      bounces: { kind: 'bounce', path: null, withinMs: null },
    });
    const groupsOf = async (options: Partial<SplitTestQuery>) => {
      const { groups } = await store().splitTestMetrics(queryOf(p, metrics, options));
      return groups
        .map((it) => {
          const { variationKey, returning, bot } = it;
          const about = `${it.metricId} ${variationKey}${returning ? ' returning' : ''}${bot ? ' bot' : ''}`;
          return `${about}: ${it.value.sum} of ${it.visitors}`;
        })
        .sort();
    };
    const first = {
      phase: 1,
      to: T0 + change,
      endsAt: T0 + change,
      until: T0 + change,
      hasLaterPhases: true,
    };
    expect(await groupsOf(first)).toEqual([
      'back a bot: 0 of 1',
      'back a: 1 of 1',
      'back b: 0 of 1',
      'bounces a bot: 0 of 1',
      'bounces a: 0 of 1',
      'bounces b: 0 of 1',
      'orders a bot: 3 of 1',
      'orders a: 2 of 1',
      'orders b: 2 of 1',
      'views a bot: 0 of 1',
      'views a: 1 of 1',
      'views b: 0 of 1',
    ]);
    const second = { phase: 2, from: T0 + change, startedAt: T0 + change, hasEarlierPhases: true };
    expect(await groupsOf(second)).toEqual([
      'back a returning: 0 of 1',
      'bounces a returning: 0 of 1',
      'orders a returning: 1 of 1',
      'views a returning: 1 of 1',
    ]);
  });

  test('the visitor and the user of a session are those it has now, however late they are known', async () => {
    const p = nextProperty();
    const metrics = {
      views: { kind: 'mean', value: { path: null }, ...within(HOUR_MS) },
      orders: { kind: 'mean', value: orders, ...within(HOUR_MS) },
      back: { kind: 'retention', fromMs: 0, toMs: HOUR_MS, goalId: null },
      bounces: { kind: 'bounce', path: null, withinMs: null },
    } as const;
    await tell(
      story(p, 'phone').sees().views([5]),
      story(p, 'laptop').views([6]).reaches('order', [7], 1),
      story(p, 'tablet').sees(2, { variation: 'b' }).reaches('order', [8], 1),
    );
    const one = (sum: number, visitors = 1) => ({
      visitors,
      reached: Math.min(sum, 1),
      sum,
      squares: sum ** 2,
    });
    expect((await sumsOf(p, metrics)).orders).toEqual(expect.arrayContaining([one(0), one(1)]));
    // The laptop turns out to be the visitor of the phone, and both to be one user.
    await tell(
      story(p, 'laptop').collects([], { receivedAt: T0 + 20, visitorId: 'visitor phone', userId: 'u' }),
    );
    expect(
      await sumsOf(p, { orders: metrics.orders, views: metrics.views }, { variationKeys: ['a'] }),
    ).toEqual({
      orders: [one(1)],
      views: [one(2)],
    });
    await tell(
      story(p, 'watch')
        .views([9])
        .collects([], { receivedAt: T0 + 30, userId: 'u' }),
    );
    const byUser = { unit: 'user', variationKeys: ['a'] } as const;
    expect(await sumsOf(p, metrics, byUser)).toEqual({
      views: [one(3)],
      orders: [one(1)],
      back: [one(1)],
      bounces: [{ ...one(3), of: 3, ofSquares: 9, product: 9 }],
    });
    await tell(story(p, 'tablet').collects([], { receivedAt: T0 + 40, userId: 'u' }));
    // One user saw both variations.
    expect(await sumsOf(p, metrics, { unit: 'user' })).toMatchObject({ views: [], orders: [] });
  });

  test('patterns of pages match paths, whatever the URL and the pattern contain', async () => {
    const p = nextProperty();
    const urls = [
      'https://shop.example/checkout?next=/pay#top',
      'http://user@other.example:8080/checkout/pay',
      '//shop.example/checkout',
      '/checkout#/pay',
      'checkout/pay',
      'https://shop.example',
      'https://shop.example?checkout',
      '',
      undefined,
      '/Checkout',
      '/caf%C3%A9/50%25_off',
      '/café/50%_off',
      '/it\'s \\ (a|b) [c] "d" $1 {p0:String}.html',
      '/line\nbreak/😀',
      'mailto:checkout',
    ];
    await tell(
      ...urls.map((url, index) =>
        story(p, `s${index}`)
          .sees()
          .views([1, url] as [number, string]),
      ),
    );
    const patterns: [pattern: string | null, ...indexes: number[]][] = [
      [null, ...urls.keys()],
      ['*', 0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14],
      ['/*', 0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14],
      ['/', 5, 6],
      ['/checkout', 0, 2, 3],
      ['/checkout*', 0, 1, 2, 3, 4],
      ['/checkout/*', 1, 4],
      ['*/pay', 1, 4],
      ['**pay*', 1, 4],
      ['*checkout', 0, 2, 3, 14],
      ['checkout'],
      ['/CHECKOUT'],
      ['/check_ut'],
      ['/check%'],
      ['/check.*'],
      ['/caf%C3%A9*', 10],
      ['/caf?*'],
      ['/café/50%_off', 11],
      ['/caf*_off', 10, 11],
      ['/it\'s \\ (a|b) [c] "d" $1 {p0:String}.html', 12],
      ["*' \\ (*) [c]*", ...[]],
      ["/it's*\\*(a|b)*.html", 12],
      ["/' OR 1=1 --"],
      ["'); DROP TABLE session_events; --"],
      ['/line*😀', 13],
      ['/line\n*', 13],
      ['*\0*'],
      ['', ...[]],
    ];
    const metrics = patterns.map(
      ([path], index): MetricTerm => ({ metricId: `${index}`, kind: 'mean', value: { path }, ...within() }),
    );
    const { groups } = await store().splitTestMetrics(queryOf(p, metrics));
    const matched = patterns.map(
      (_, index) => groups.find(({ metricId }) => metricId === `${index}`)?.value.sum,
    );
    expect(patterns.map(([pattern], index) => [pattern, matched[index]])).toEqual(
      patterns.map(([pattern, ...indexes]) => [pattern, indexes.length]),
    );
    const funnels = named({
      quoted: { kind: 'funnel', steps: [{ event: "'; --" }, { goalId: "' OR ''='" }], withinMs: 9 },
      bounced: { kind: 'bounce', path: "/it's*", withinMs: null },
      measured: { kind: 'quantile', quantile: 0.5, value: { event: "'", property: "') --" }, withinMs: null },
    });
    const more = await store().splitTestMetrics(queryOf(p, funnels));
    expect(more.groups.map(({ reached }) => reached).sort()).toEqual([0, 1]);
  });

  test('follows erasure and expiry', async () => {
    const p = nextProperty();
    await tell(
      story(p, 'old').sees().views([1, '/a'], [HOUR_MS, '/b']).does('load', [2], { ms: 5 }),
      story(p, 'gone')
        .sees(HOUR_MS)
        .views([HOUR_MS + 1, '/a'])
        .reaches('order', [HOUR_MS + 2], 4),
      story(p, 'stays')
        .sees(HOUR_MS)
        .views([HOUR_MS + 1, '/a'])
        .reaches('order', [HOUR_MS + 2], 3),
      // Begins after its remaining exposure, but its first page view is going to expire.
      story(p, 'ahead').views([HOUR_MS - 1, '/a'], [HOUR_MS + 3, '/a']),
    );
    await add(exposures(p, T0 + HOUR_MS - 5, [exposure('ahead', T0 + HOUR_MS + 4)]));
    const metrics = {
      revenue: { kind: 'mean', value: revenue, ...within() },
      views: { kind: 'mean', value: { path: '/a' }, ...within(DAY_MS) },
      bounces: { kind: 'bounce', path: null, withinMs: null },
    } as const;
    expect(await sumsOf(p, metrics)).toMatchObject({
      revenue: [{ visitors: 4, sum: 7 }],
      views: [{ visitors: 4, sum: 5 }],
      bounces: [{ visitors: 4, sum: 2, of: 4 }],
    });
    await store().forget([{ propertyId: p, visitorId: 'visitor gone' }]);
    expect(await sumsOf(p, metrics)).toMatchObject({
      revenue: [{ visitors: 3, sum: 3 }],
      views: [{ visitors: 3, sum: 4 }],
      bounces: [{ visitors: 3, sum: 1, of: 3 }],
    });
    await store().expire(p, T0 + HOUR_MS);
    expect(await sumsOf(p, metrics)).toMatchObject({
      revenue: [{ visitors: 2, sum: 3 }],
      views: [{ visitors: 2, sum: 2 }],
      bounces: [{ visitors: 2, sum: 1, of: 1 }],
    });
  });

  test('sums are exact, however large, and are the same in any order of arrival', async () => {
    const p = nextProperty();
    const amounts = [0.1, 0.2, 0.3, 9_000_000_000, 0.000001, 123.456789];
    const stories = amounts.map((amount, index) =>
      story(p, `s${index}`).sees().reaches('order', [1, 2, 3], amount),
    );
    await tell(...stories.reverse());
    const { groups } = await store().splitTestMetrics(
      queryOf(p, named({ revenue: { kind: 'mean', value: revenue, ...within(9) } })),
    );
    const micros = amounts.map((it) => 3n * BigInt(Math.round(it * 1e6)));
    expect(groups[0]!.value).toEqual({
      sum: Number(micros.reduce((sum, it) => sum + it, 0n)) / 1e6,
      sumSquares: Number(micros.reduce((sum, it) => sum + it * it, 0n)) / 1e12,
    });
  });

  test('is empty without a test, without metrics and without visitors', async () => {
    const p = nextProperty();
    const metrics = named({
      orders: { kind: 'mean', value: orders, ...within() },
      p50: { kind: 'quantile', quantile: 0.5, value: { goalId: 'order' }, withinMs: null },
    });
    const none = { visitors: 0, pending: 0, values: 0, value: null, standardError: null };
    const quantiles = ['a', 'b'].flatMap((variationKey) =>
      [false, true].map((includeBots) => ({ metricId: 'p50', variationKey, includeBots, ...none })),
    );
    const answer = async (options?: Parameters<typeof queryOf>[2]) => {
      const found = await store().splitTestMetrics(queryOf(p, metrics, options));
      const order = (it: object) => JSON.stringify(Object.entries(it).sort());
      return { ...found, quantiles: found.quantiles.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)) };
    };
    expect(await answer()).toEqual({ groups: [], quantiles: expect.arrayContaining(quantiles) });
    await tell(story(p, 's').sees());
    expect((await answer({ phase: 2, from: T0 + 1 })).groups).toEqual([]);
    expect((await answer({ splitTestKey: 'none' })).groups).toEqual([]);
    expect((await answer()).groups).toHaveLength(1);
    expect(await store().splitTestMetrics(queryOf(p, []))).toEqual({ groups: [], quantiles: [] });
  });

  test('the baseline of a metric: visitors of a period, from their first session in it', async () => {
    const p = nextProperty();
    await tell(
      story(p, 'before').views([-1, '/a']).reaches('order', [1], 5),
      story(p, 's1')
        .views([0, '/a'], [1, '/b'], [9, '/b'])
        .reaches('order', [3, 10], 2)
        .refunds('order', 4, 0.5),
      story(p, 's2').views([5, '/a']).does('load', [6, 7], { ms: 3 }).does('load', [8], { ms: 9 }),
      story(p, 's2 again').collects([{ type: 'pageview', at: T0 + 8, url: '/b' }], {
        visitorId: 'visitor s2',
      }),
      story(p, 's3').does('load', [2], { ms: 4 }),
      story(p, 'after').views([20, '/a']),
    );
    const baseline = async (definition: Definition) =>
      rounded(
        await store().metricBaseline({
          propertyId: p,
          metric: { metricId: 'm', ...definition } as MetricTerm,
          from: T0,
          to: T0 + 20,
        }),
      );
    const none = { sum: 0, sumSquares: 0 };
    const sums = { visitors: 3, pending: 0, denominator: none, product: 0 };
    expect(await baseline({ kind: 'mean', value: revenue, ...within() })).toEqual({
      ...sums,
      reached: 1,
      value: { sum: 3.5, sumSquares: 12.25 },
    });
    // Sessions of 5 and later have less than 16 ms.
    expect(await baseline({ kind: 'mean', value: { path: '/b' }, ...within(16) })).toEqual({
      ...sums,
      visitors: 1 + 1,
      pending: 1,
      reached: 1,
      value: { sum: 2, sumSquares: 4 },
    });
    expect(await baseline({ kind: 'funnel', steps: [{ path: '/a' }, { path: '/b' }], withinMs: 9 })).toEqual({
      ...sums,
      reached: 2,
      value: { sum: 2, sumSquares: 2 },
      steps: [2, 2],
    });
    expect(await baseline({ kind: 'bounce', path: null, withinMs: null })).toEqual({
      ...sums,
      reached: 1,
      value: { sum: 2, sumSquares: 4 },
      denominator: { sum: 3, sumSquares: 5 },
      product: 4,
    });
    expect(await baseline({ kind: 'retention', fromMs: 9, toMs: 15, goalId: null })).toMatchObject({
      visitors: 3,
      reached: 1,
    });
    expect(
      await baseline({
        kind: 'quantile',
        quantile: 0.75,
        value: { event: 'load', property: 'ms' },
        withinMs: null,
      }),
    ).toMatchObject({ visitors: 2, values: 4, value: 4 });
    const unknown = { propertyId: 'unknown', from: 0, to: LATER };
    const metric = { metricId: 'm', kind: 'mean', value: orders, ...within() } as const;
    expect(await store().metricBaseline({ ...unknown, metric })).toMatchObject({ visitors: 0, reached: 0 });
  });
}
