import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { MetricTerm } from '../../metric-queries.ts';
import { T0 } from '../random-requests.contract.ts';
import { rounded } from './compare-metrics.contract.ts';
import {
  type Definition,
  type MetricSuite,
  named,
  type Options,
  orders,
  queryOf,
  revenue,
  Story,
  sumsOf,
  within,
} from './metric-story.contract.ts';

/** The contract for each kind of metric. */
export function describeMetrics({ store, add, nextProperty }: MetricSuite): void {
  const tell = (...stories: Story[]) => add(...stories.flatMap(({ requests }) => requests));
  const quantilesOf = async (p: string, definitions: Record<string, Definition>, options?: Options) => {
    const { quantiles } = await store().splitTestMetrics(queryOf(p, named(definitions), options));
    return quantiles.map(({ variationKey, includeBots, ...it }) => [
      `${it.metricId}: ${variationKey}${includeBots ? ' with bots' : ''}`,
      it,
    ]);
  };

  test('windows of visitors: from the exposure on, to the millisecond; pending visitors are in no sum', async () => {
    const p = nextProperty();
    const times = [-1, 0, HOUR_MS - 1, HOUR_MS];
    await tell(
      new Story(p, 's1')
        .sees()
        .reaches('order', times, 10)
        .refunds('order', 5, 4)
        .views(...times.map((at) => [at] as [number])),
      new Story(p, 's2').sees(1).reaches('order', [1, HOUR_MS, HOUR_MS + 1], 1),
      new Story(p, 's3').sees(2),
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
    expect(await sumsOf(store(), p, metrics, { now: T0 + HOUR_MS + 1 })).toEqual(both);
    const first = await sumsOf(store(), p, metrics, { now: T0 + HOUR_MS });
    expect(first.orders).toEqual([{ visitors: 1, pending: 2, reached: 1, sum: 1, squares: 1 }]);
    // The window goes on after the phase; without one, what is counted ends with it.
    const ended = { now: T0 + HOUR_MS + 1, endsAt: T0 + 100, until: T0 + 100 };
    expect(await sumsOf(store(), p, metrics, ended)).toEqual({
      ...both,
      all: [{ visitors: 3, reached: 2, sum: 6 + 1, squares: 36 + 1 }],
    });
    expect(await sumsOf(store(), p, metrics, { now: T0 })).toMatchObject({
      orders: [{ visitors: 0, pending: 3, reached: 0, sum: 0 }],
    });
  });

  test('caps of counts and sums, also fractions; refunds are not capped', async () => {
    const p = nextProperty();
    await tell(
      new Story(p, 's1').sees().reaches('order', [1, 2, 3], 0.000001),
      new Story(p, 's2').sees().reaches('order', [1], 20).reaches('tip', [2], 7),
      new Story(p, 's3').sees().refunds('order', 1, 50),
    );
    const sums = await sumsOf(store(), p, {
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
      new Story(p, 's1').sees().does('error', [1, 2]).views([1, '/a'], [2, '/b'], [3, '/c']),
      new Story(p, 's2').sees().views([4, '/a']),
      new Story(p, 's3').sees().does('error', [4]).does('other', [5]),
      new Story(p, 's4').sees(),
    );
    expect(
      await sumsOf(store(), p, {
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
      new Story(p, 'too early').sees().views([from - 1]),
      new Story(p, 'first').sees().views([from]),
      new Story(p, 'last').sees().does('ping', [to - 1]),
      new Story(p, 'too late').sees().views([to]),
      new Story(p, 'seen again').sees().sees(from + 5),
      new Story(p, 'heartbeat').sees().collects([], { receivedAt: T0 + from + 5 }),
      new Story(p, 'ordered').sees().reaches('order', [from + 1, from + 2], 3),
      // What a server sends is no activity, and a reversal is no conversion.
      new Story(p, 'refunded')
        .sees()
        .reaches('order', [1], 3)
        .refunds('order', from + 1, 3),
      new Story(p, 'reversed later')
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
    expect(await sumsOf(store(), p, metrics, { now: T0 + to })).toEqual({
      back: [{ visitors: 9, reached: 4, sum: 4, squares: 4 }],
      ordered: [{ visitors: 9, reached: 2, sum: 2, squares: 2 }],
      unknown: [{ visitors: 9, reached: 0, sum: 0, squares: 0 }],
    });
    expect(await sumsOf(store(), p, metrics, { now: T0 + to - 1 })).toMatchObject({
      back: [{ visitors: 0, pending: 9, reached: 0 }],
    });
  });

  test('funnels: steps in order, each event once, and several in one millisecond', async () => {
    const p = nextProperty();
    await tell(
      new Story(p, 'all').sees().views([1, '/cart?x=1'], [2, '/pay']).reaches('order', [3], 1),
      new Story(p, 'same time').sees().reaches('order', [5], 1).views([5, '/pay'], [5, '/cart']),
      new Story(p, 'wrong order').sees().reaches('order', [1], 1).views([2, '/pay'], [3, '/cart']),
      new Story(p, 'again').sees().views([1, '/pay'], [2, '/cart'], [3, '/cart'], [4, '/pay']),
      new Story(p, 'before').sees(10).views([9, '/cart'], [11, '/pay']).reaches('order', [12], 1),
      new Story(p, 'refunded').sees().views([1, '/cart'], [2, '/pay']).refunds('order', 3, 1),
      new Story(p, 'too late').sees().views([1, '/cart'], [2, '/pay']).reaches('order', [HOUR_MS], 1),
    );
    const funnel = (...steps: Extract<MetricTerm, { kind: 'funnel' }>['steps']) =>
      ({ kind: 'funnel', steps, withinMs: HOUR_MS }) as const;
    expect(
      await sumsOf(store(), p, {
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
      new Story(p, name).collects(
        pages.map(([at, url]) => ({ type: 'pageview', at: T0 + at, url })),
        { visitorId },
      );
    await tell(
      new Story(p, 'first').sees(10).collects([], { receivedAt: T0 + 1, visitorId: 'v' }),
      // Began before the exposure.
      session('first', 'v', [9, '/sale'], [30, '/sale']),
      session('single', 'v', [11, '/sale']),
      session('double', 'v', [12, '/sale'], [13, '/b']),
      session('other', 'v', [14, '/b'], [15, '/sale']),
      // The second page view is after the window.
      session('late', 'v', [HOUR_MS + 9, '/sale'], [HOUR_MS + 10, '/b']),
      session('too late', 'v', [HOUR_MS + 10, '/sale']),
      session('nobody', 'w', [11, '/sale']),
      new Story(p, 'no page').does('ping', [20]),
    );
    expect(
      await sumsOf(store(), p, {
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
      const own = new Story(p, name).sees();
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
      new Story(p, 'bot').sees(0, { bot: true }).does('load', [3], { 'a/b~"*': 1000 }),
      new Story(p, 'b').sees(0, { variation: 'b' }).reaches('order', [1, 2], 12.5).refunds('order', 3, 99),
      new Story(p, 'pending').sees(50),
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

  test('values of one visitor are not independent: four of each count little more than one', async () => {
    const p = nextProperty();
    const numbers = Array.from({ length: 16 }, (_, index) => index + 1);
    await tell(
      ...numbers.map((number) =>
        new Story(p, `s${number}`).sees().does('load', [1, 2, 3, 4], { ms: number }),
      ),
    );
    const metrics = {
      p50: { kind: 'quantile', quantile: 0.5, value: { event: 'load', property: 'ms' }, withinMs: null },
    } as const;
    const found = Object.fromEntries(await quantilesOf(p, metrics)) as Record<string, object>;
    // Half of the 64 values are up to 8. Each visitor is 2 away from that share, so its standard error is 0.129, and the
    // interval of the share goes from 0.247 to 0.753: from the 16th to the 49th value.
    expect(found['p50: a']).toMatchObject({ visitors: 16, values: 64, value: 8 });
    expect(found['p50: a']).toHaveProperty('standardError', (13 - 4) / (2 * 1.96));
  });
}
