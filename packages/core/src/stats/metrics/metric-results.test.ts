import { describe, expect, it } from 'vitest';
import { metricGoal, metricGroup, quantileOf } from '../../testing/metric-cases.ts';
import { METHODS, type MethodSettings } from '../analysis.ts';
import type { ReportMetric, ReportMetricGroup, ReportMetrics } from '../report/report-input.ts';
import { metricCounts } from './metric-counts.ts';
import { metricResults } from './metric-results.ts';

function resultsOf(
  definition: Partial<ReportMetric>,
  metrics: Partial<ReportMetrics>,
  method: MethodSettings = { method: 'sequential' },
) {
  const goal = metricGoal(definition);
  const counts = metricCounts(
    {
      variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
      goals: [goal],
      includeBots: false,
      metrics: { groups: [], quantiles: [], ...metrics },
    },
    [{ visitors: 0 }, { visitors: 0 }],
  );
  return metricResults(goal, counts.get(goal.id)!, method, 'all');
}

const SUMS = {
  value: { sum: 400, sumSquares: 9000 },
  denominator: { sum: 1500, sumSquares: 4000 },
  product: 900,
};
const both = (more: Partial<ReportMetricGroup> = {}) =>
  ['control', 'b'].map((key) => metricGroup(key, 1000, 200, { ...SUMS, ...more }));

describe('what is compared', () => {
  const measures = (definition: Partial<ReportMetric>) =>
    resultsOf(definition, { groups: both() }).map(({ metric, format, variations }) => [
      metric,
      format,
      variations[0]!.mean,
    ]);

  it.each([
    [
      { kind: 'count' },
      [
        ['conversion-rate', 'percent', 0.2],
        ['conversions-per-visitor', 'number', 0.4],
      ],
    ],
    [
      { kind: 'sum', format: 'money' },
      [
        ['sum-per-visitor', 'money', 0.4],
        ['visitor-share', 'percent', 0.2],
      ],
    ],
    [{ kind: 'ratio', format: 'percent' }, [['ratio', 'percent', 400 / 1500]]],
    [{ kind: 'retention' }, [['retention-rate', 'percent', 0.2]]],
    [{ kind: 'page' }, [['visitor-share', 'percent', 0.2]]],
    [{ kind: 'page', of: 'visitors' }, [['visitor-share', 'percent', 0.2]]],
    [
      { kind: 'page', of: 'views' },
      [
        ['views-per-visitor', 'number', 0.4],
        ['visitor-share', 'percent', 0.2],
      ],
    ],
    [{ kind: 'page', of: 'bounce' }, [['bounce-rate', 'percent', 400 / 1500]]],
    [{ kind: 'event' }, [['visitor-share', 'percent', 0.2]]],
    [
      { kind: 'event', of: 'count', format: 'seconds' },
      [
        ['events-per-visitor', 'seconds', 0.4],
        ['visitor-share', 'percent', 0.2],
      ],
    ],
  ] as [Partial<ReportMetric>, unknown[]][])('%j', (definition, expected) => {
    expect(measures(definition)).toEqual(expected);
  });

  it('of a funnel: the whole, then each step among those who reached the one before', () => {
    const steps = { kind: 'funnel', steps: ['/cart', 'pay', 'done'] } as const;
    const results = resultsOf(steps, { groups: both({ steps: [600, 300, 200] }) });
    expect(
      results.map(({ metric, step, decides, variations: [, b] }) => [metric, step, decides, b!.n, b!.mean]),
    ).toEqual([
      ['completion-rate', undefined, true, 1000, 0.2],
      ['step-rate', 1, false, 1000, 0.6],
      ['step-rate', 2, false, 600, 0.5],
      ['step-rate', 3, false, 300, 200 / 300],
    ]);
    expect(results.every(({ variations: [, b] }) => b!.absolute!.low !== null)).toBe(true);
  });

  it('of a funnel whose steps nobody has reached: nothing, and no error', () => {
    const results = resultsOf({ kind: 'funnel', steps: ['a', 'b'] }, { groups: both({ reached: 0 }) });
    expect(results.map(({ variations: [, b] }) => [b!.n, b!.mean])).toEqual([
      [1000, 0],
      [1000, 0],
      [0, null],
    ]);
  });

  it.each(METHODS)('with the method %s', (method) => {
    const looks = { fraction: 0.5, spending: 'obrien-fleming' as const };
    const quantiles = ['control', 'b'].map((key) => quantileOf(key, 2, 0.1));
    const kinds = ['count', 'sum', 'ratio', 'retention', 'page', 'event', 'quantile'] as const;
    for (const kind of kinds) {
      const [{ variations } = { variations: [] }] = resultsOf(
        { kind, quantile: 0.5 },
        { groups: both(), quantiles },
        { method, looks },
      );
      const { absolute, relative, pValue, chanceToBeat } = variations[1]!;
      expect([absolute!.low, relative!.low].every((it) => it !== null && it < 0)).toBe(true);
      expect([pValue === null, chanceToBeat === null]).toEqual(
        method === 'bayesian' ? [true, false] : [false, true],
      );
    }
  });
});

describe('early on, the range is unknown', () => {
  const lowOf = (
    definition: Partial<ReportMetric>,
    metrics: Partial<ReportMetrics>,
    method: MethodSettings['method'] = 'sequential',
  ) => {
    const { variations } = resultsOf(definition, metrics, { method })[0]!;
    const { absolute, relative, pValue } = variations[1]!;
    expect(relative?.low === null).toBe(absolute!.low === null);
    expect(pValue === null).toBe(absolute!.low === null);
    return absolute!.low;
  };
  const reached = (control: number, b: number, more = SUMS) => ({
    groups: [metricGroup('control', 1000, control, more), metricGroup('b', 1000, b, more)],
  });

  it.each(['sum', 'ratio'] as const)('of a %s until 50 visitors of a pair have a value', (kind) => {
    expect(lowOf({ kind }, reached(30, 19))).toBeNull();
    expect(lowOf({ kind }, reached(30, 20))).not.toBeNull();
    expect(lowOf({ kind }, reached(50, 0))).not.toBeNull();
  });

  it('of a ratio, if a few visitors have nearly all of the denominator', () => {
    const few = (sumSquares: number) => ({ ...SUMS, denominator: { sum: 1500, sumSquares } });
    // 1500² / 90,000 is 25 visitors with 60 page views each.
    expect(lowOf({ kind: 'ratio' }, reached(200, 200, few(90_000)))).not.toBeNull();
    expect(lowOf({ kind: 'ratio' }, reached(200, 200, few(90_100)))).toBeNull();
  });

  it('but the difference is known', () => {
    const [, b] = resultsOf({ kind: 'sum' }, reached(3, 4))[0]!.variations;
    expect(b).toMatchObject({ absolute: { estimate: 0, low: null, high: null }, standardError: null });
  });

  it('of a share it is always known', () => {
    expect(lowOf({ kind: 'retention' }, reached(1, 3))).not.toBeNull();
  });

  it.each([
    [0.5, 25],
    [0.9, 125],
    [0.1, 125],
    [0.99, 1250],
  ])('of the quantile %d until each variation has %i visitors with values', (quantile, least) => {
    const low = (control: number, b: number) =>
      lowOf(
        { kind: 'quantile', quantile },
        {
          quantiles: [
            quantileOf('control', 2, 0.1, { visitors: control }),
            quantileOf('b', 2, 0.1, { visitors: b }),
          ],
        },
      );
    expect(low(least, least)).not.toBeNull();
    expect(low(least - 1, least)).toBeNull();
    expect(low(least, least - 1)).toBeNull();
  });

  it.each([0, null])('of a quantile whose standard error is %s', (standardError) => {
    const quantiles = [quantileOf('control', 2, 0.1), quantileOf('b', 3, standardError)];
    for (const method of ['sequential', 'frequentist'] as const)
      expect(lowOf({ kind: 'quantile', quantile: 0.5 }, { quantiles }, method)).toBeNull();
  });

  it('of a quantile without values there is not even a difference', () => {
    const quantiles = [
      quantileOf('control', 2, 0.1),
      quantileOf('b', null, null, { visitors: 0, values: 0 }),
    ];
    const [result] = resultsOf({ kind: 'quantile', quantile: 0.5 }, { quantiles });
    expect(result!.variations[1]).toMatchObject({ n: 0, mean: null, absolute: null, relative: null });
  });
});

describe('the lowest possible change', () => {
  const relativeLow = (kind: ReportMetric['kind'], of?: ReportMetric['of']) => {
    const wild = {
      value: { sum: 60, sumSquares: 60_000 },
      denominator: { sum: 1000, sumSquares: 1500 },
      product: 60,
    };
    const groups = [
      metricGroup('control', 1000, 60, { ...wild, value: { sum: 60, sumSquares: 200 } }),
      metricGroup('b', 1000, 60, wild),
    ];
    return resultsOf({ kind, ...(of && { of }) }, { groups })[0]!.variations[1]!.relative!.low!;
  };

  it('is -100 % of what cannot be negative', () => {
    expect([
      relativeLow('page', 'views'),
      relativeLow('event', 'count'),
      relativeLow('page', 'bounce'),
    ]).toEqual([-1, -1, -1]);
  });

  it('is lower for sums and ratios, which refunds can make negative', () => {
    expect(relativeLow('sum')).toBeLessThan(-1);
    expect(relativeLow('ratio')).toBeLessThan(-1);
  });
});

describe('new and returning visitors', () => {
  // Returning visitors have three times as many, and b has more of them, without any effect.
  const groups = (['control', 'b'] as const).flatMap((key) => {
    const [fresh, back] = key === 'control' ? [8000, 2000] : [4000, 6000];
    const of = (returning: boolean, visitors: number, rate: number) =>
      metricGroup(key, visitors, rate * visitors, {
        returning,
        value: { sum: 2 * rate * visitors, sumSquares: 8 * rate * visitors },
        denominator: { sum: 4 * visitors, sumSquares: 20 * visitors },
        product: 9 * rate * visitors,
      });
    return [of(false, fresh, 0.1), of(true, back, 0.3)];
  });

  it.each([
    ['count', {}],
    ['sum', {}],
    ['ratio', {}],
    ['page', { of: 'bounce' }],
  ] as const)('are compared among themselves: %s', (kind, more) => {
    const [result] = resultsOf({ kind, ...more }, { groups });
    const [control, b] = result!.variations;
    expect(b!.mean! / control!.mean!).toBeCloseTo(0.22 / 0.14, 9);
    expect(b!.absolute!.estimate).toBeCloseTo(0, 9);
    expect(b!.relative!.estimate).toBeCloseTo(0, 9);
  });

  it('are compared together in the steps of a funnel that hardly any of them reach', () => {
    const few = groups.map((group) => ({ ...group, steps: group.returning ? [20, 10] : [1000, 500] }));
    const step = resultsOf({ kind: 'funnel', steps: ['a', 'b'] }, { groups: few })[2]!;
    expect(step.variations.map(({ n, mean }) => [n, mean])).toEqual([
      [1020, 0.5],
      [1020, 0.5],
    ]);
    expect(step.variations[1]!.absolute!.low).not.toBeNull();
  });
});
