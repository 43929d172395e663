import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { MetricTerm } from '../../metric-queries.ts';
import type { SplitTestQuery } from '../../split-test-queries.ts';
import { T0 } from '../random-requests.contract.ts';
import { exposure, exposures } from '../sample-requests.contract.ts';
import { rounded } from './compare-metrics.contract.ts';
import {
  type Definition,
  LATER,
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

/** The contract for whose events metrics count, and for their baseline. */
export function describeMetricVisitors({ store, add, nextProperty }: MetricSuite): void {
  const tell = (...stories: Story[]) => add(...stories.flatMap(({ requests }) => requests));

  test('counts the visitors of the results: not mixed, not moved, until a later phase, crawlers apart', async () => {
    const p = nextProperty();
    const change = 10 * DAY_MS;
    const ordered = (name: string) => new Story(p, name).reaches('order', [1, change + 1, change + 3], 1);
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
      new Story(p, 'phone').sees().views([5]),
      new Story(p, 'laptop').views([6]).reaches('order', [7], 1),
      new Story(p, 'tablet').sees(2, { variation: 'b' }).reaches('order', [8], 1),
    );
    const one = (sum: number, visitors = 1) => ({
      visitors,
      reached: Math.min(sum, 1),
      sum,
      squares: sum ** 2,
    });
    expect((await sumsOf(store(), p, metrics)).orders).toEqual(expect.arrayContaining([one(0), one(1)]));
    // The laptop turns out to be the visitor of the phone, and both to be one user.
    await tell(
      new Story(p, 'laptop').collects([], { receivedAt: T0 + 20, visitorId: 'visitor phone', userId: 'u' }),
    );
    expect(
      await sumsOf(store(), p, { orders: metrics.orders, views: metrics.views }, { variationKeys: ['a'] }),
    ).toEqual({
      orders: [one(1)],
      views: [one(2)],
    });
    await tell(new Story(p, 'watch').views([9]).collects([], { receivedAt: T0 + 30, userId: 'u' }));
    const byUser = { unit: 'user', variationKeys: ['a'] } as const;
    expect(await sumsOf(store(), p, metrics, byUser)).toEqual({
      views: [one(3)],
      orders: [one(1)],
      back: [one(1)],
      bounces: [{ ...one(3), of: 3, ofSquares: 9, product: 9 }],
    });
    await tell(new Story(p, 'tablet').collects([], { receivedAt: T0 + 40, userId: 'u' }));
    // One user saw both variations.
    expect(await sumsOf(store(), p, metrics, { unit: 'user' })).toMatchObject({ views: [], orders: [] });
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
      ...urls.map((url, index) => new Story(p, `s${index}`).sees().views([1, url] as [number, string])),
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
      new Story(p, 'old').sees().views([1, '/a'], [HOUR_MS, '/b']).does('load', [2], { ms: 5 }),
      new Story(p, 'gone')
        .sees(HOUR_MS)
        .views([HOUR_MS + 1, '/a'])
        .reaches('order', [HOUR_MS + 2], 4),
      new Story(p, 'stays')
        .sees(HOUR_MS)
        .views([HOUR_MS + 1, '/a'])
        .reaches('order', [HOUR_MS + 2], 3),
      // Begins after its remaining exposure, but its first page view is going to expire.
      new Story(p, 'ahead').views([HOUR_MS - 1, '/a'], [HOUR_MS + 3, '/a']),
    );
    await add(exposures(p, T0 + HOUR_MS - 5, [exposure('ahead', T0 + HOUR_MS + 4)]));
    const metrics = {
      revenue: { kind: 'mean', value: revenue, ...within() },
      views: { kind: 'mean', value: { path: '/a' }, ...within(DAY_MS) },
      bounces: { kind: 'bounce', path: null, withinMs: null },
    } as const;
    expect(await sumsOf(store(), p, metrics)).toMatchObject({
      revenue: [{ visitors: 4, sum: 7 }],
      views: [{ visitors: 4, sum: 5 }],
      bounces: [{ visitors: 4, sum: 2, of: 4 }],
    });
    await store().forget([{ propertyId: p, visitorId: 'visitor gone' }]);
    expect(await sumsOf(store(), p, metrics)).toMatchObject({
      revenue: [{ visitors: 3, sum: 3 }],
      views: [{ visitors: 3, sum: 4 }],
      bounces: [{ visitors: 3, sum: 1, of: 3 }],
    });
    await store().expire(p, T0 + HOUR_MS);
    expect(await sumsOf(store(), p, metrics)).toMatchObject({
      revenue: [{ visitors: 2, sum: 3 }],
      views: [{ visitors: 2, sum: 2 }],
      bounces: [{ visitors: 2, sum: 1, of: 1 }],
    });
  });

  test('sums are exact, however large, and are the same in any order of arrival', async () => {
    const p = nextProperty();
    const amounts = [0.1, 0.2, 0.3, 9_000_000_000, 0.000001, 123.456789];
    const stories = amounts.map((amount, index) =>
      new Story(p, `s${index}`).sees().reaches('order', [1, 2, 3], amount),
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
    const answer = async (options?: Options) => {
      const found = await store().splitTestMetrics(queryOf(p, metrics, options));
      const order = (it: object) => JSON.stringify(Object.entries(it).sort());
      return { ...found, quantiles: found.quantiles.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)) };
    };
    expect(await answer()).toEqual({ groups: [], quantiles: expect.arrayContaining(quantiles) });
    await tell(new Story(p, 's').sees());
    expect((await answer({ phase: 2, from: T0 + 1 })).groups).toEqual([]);
    expect((await answer({ splitTestKey: 'none' })).groups).toEqual([]);
    expect((await answer()).groups).toHaveLength(1);
    expect(await store().splitTestMetrics(queryOf(p, []))).toEqual({ groups: [], quantiles: [] });
  });

  test('the baseline of a metric: visitors of a period, from their first session in it', async () => {
    const p = nextProperty();
    await tell(
      new Story(p, 'before').views([-1, '/a']).reaches('order', [1], 5),
      new Story(p, 's1')
        .views([0, '/a'], [1, '/b'], [9, '/b'])
        .reaches('order', [3, 10], 2)
        .refunds('order', 4, 0.5),
      new Story(p, 's2').views([5, '/a']).does('load', [6, 7], { ms: 3 }).does('load', [8], { ms: 9 }),
      new Story(p, 's2 again').collects([{ type: 'pageview', at: T0 + 8, url: '/b' }], {
        visitorId: 'visitor s2',
      }),
      new Story(p, 's3').does('load', [2], { ms: 4 }),
      new Story(p, 'after').views([20, '/a']),
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

  test('can be cancelled, and leaves the store usable', async () => {
    const p = nextProperty();
    await tell(new Story(p, 's').sees().reaches('order', [1], 1));
    const query = queryOf(p, named({ orders: { kind: 'mean', value: orders, ...within() } }));
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await expect(store().splitTestMetrics(query, cancelled)).rejects.toThrow('cancelled');
    const baseline = { propertyId: p, metric: query.metrics[0]!, from: 0, to: LATER };
    await expect(store().metricBaseline(baseline, cancelled)).rejects.toThrow('cancelled');
    expect((await store().splitTestMetrics(query)).groups).toHaveLength(1);
    expect(await store().metricBaseline(baseline)).toMatchObject({ visitors: 1, reached: 1 });
  });
}
