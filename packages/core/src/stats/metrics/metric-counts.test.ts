import { describe, expect, it } from 'vitest';
import { metricGoal, metricGroup, quantileOf } from '../../testing/metric-cases.ts';
import { completeVisitors, metricCounts, pendingVisitors } from './metric-counts.ts';

const VARIATIONS = [
  { key: 'control', weight: 1 },
  { key: 'b', weight: 1 },
];
const GROUPS = [
  metricGroup('control', 100, 10, { pending: 7 }),
  metricGroup('control', 40, 6, { returning: true, pending: 1 }),
  metricGroup('control', 1000, 900, { bot: true, pending: 50 }),
  metricGroup('control', 500, 400, { metricId: 'other' }),
  metricGroup('b', 90, 20, {
    value: { sum: 35, sumSquares: 99 },
    denominator: { sum: 300, sumSquares: 2000 },
    product: 140,
    steps: [50, 20],
  }),
];
const ALL = [{ visitors: 148 }, { visitors: 90 }];

const countsOf = (more: Partial<Parameters<typeof metricCounts>[0]> = {}) =>
  metricCounts(
    {
      variations: VARIATIONS,
      goals: [metricGoal({})],
      includeBots: false,
      metrics: { groups: GROUPS, quantiles: [] },
      ...more,
    },
    ALL,
  ).get('metric:m')!;

describe('sums', () => {
  it('are added up by variation, without crawlers and other metrics', () => {
    const [control, b] = countsOf();
    expect(control).toMatchObject({ key: 'control', visitors: 140, complete: 140, pending: 8, reached: 16 });
    expect(control!.value).toEqual({ sum: 16, sumSquares: 16 });
    expect(b).toMatchObject({
      visitors: 90,
      pending: 0,
      reached: 20,
      value: { sum: 35, sumSquares: 99 },
      denominator: { sum: 300, sumSquares: 2000 },
      product: 140,
      steps: [50, 20],
      quantile: null,
    });
  });

  it('include crawlers if the report does', () => {
    expect(countsOf({ includeBots: true })[0]).toMatchObject({ visitors: 1140, pending: 58, reached: 916 });
  });

  it('have the same strata in all variations: new visitors first', () => {
    const strata = countsOf().map((it) => it.strata.map(({ visitors, reached }) => [visitors, reached]));
    expect(strata).toEqual([
      [
        [100, 10],
        [40, 6],
      ],
      [
        [90, 20],
        [0, 0],
      ],
    ]);
  });

  it('are zero without any counts', () => {
    expect(countsOf({ metrics: undefined })).toMatchObject([
      { key: 'control', visitors: 0, complete: 0, pending: 0, strata: [] },
      { key: 'b', visitors: 0 },
    ]);
  });

  it('without retired variations say how far the test is', () => {
    const counts = countsOf({ variations: [VARIATIONS[0]!, { ...VARIATIONS[1]!, retired: true }] });
    expect(completeVisitors(counts)).toBe(140);
    expect(pendingVisitors(counts)).toBe(8);
    expect(completeVisitors(countsOf())).toBe(230);
  });
});

describe('quantiles', () => {
  const quantiles = [
    quantileOf('control', 1.5, 0.1, { visitors: 60, pending: 20, values: 180 }),
    quantileOf('control', 9, 0.5, { includeBots: true, visitors: 90, pending: 30, values: 300 }),
    quantileOf('b', 7, 0.1, { metricId: 'other' }),
  ];
  const of = (includeBots: boolean) =>
    countsOf({
      goals: [metricGoal({ kind: 'quantile', quantile: 0.5 })],
      metrics: { groups: GROUPS, quantiles },
      includeBots,
    });

  it('are those with or without crawlers', () => {
    expect(of(false)[0]).toMatchObject({
      visitors: 60,
      pending: 20,
      reached: 60,
      quantile: { values: 180, value: 1.5, standardError: 0.1 },
      strata: [],
    });
    expect(of(true)[0]).toMatchObject({
      visitors: 90,
      quantile: { values: 300, value: 9, standardError: 0.5 },
    });
  });

  it('have the visitors without values too, to say how far the test is', () => {
    expect(of(false).map(({ complete }) => complete)).toEqual([128, 90]);
  });

  it('are unknown without an estimate', () => {
    expect(of(false)[1]).toMatchObject({
      visitors: 0,
      pending: 0,
      quantile: { values: 0, value: null, standardError: null },
    });
  });
});
