import { describe, expect, it } from 'vitest';
import { metricGroup, quantileOf } from '../../testing/metric-cases.ts';
import { METHODS } from '../analysis.ts';
import { type Baseline, detectableEffect, planTest } from '../planner.ts';
import type { ReportMetric } from '../report/report-input.ts';
import { detectableForMetric, type MetricHistory, metricBaseline, planForMetric } from './metric-plan.ts';

const historyOf = (definition: Partial<ReportMetric>, more: Partial<MetricHistory> = {}): MetricHistory => ({
  definition: { kind: 'event', format: 'number', withinDays: 7, ...definition },
  groups: [],
  quantile: null,
  visitors: 5000,
  ...more,
});
/** Two groups, which are one for the plan. */
const groups = [
  metricGroup('all', 3000, 200, {
    pending: 40,
    value: { sum: 500, sumSquares: 5000 },
    denominator: { sum: 9000, sumSquares: 40_000 },
    product: 3000,
  }),
  metricGroup('all', 1000, 120, {
    returning: true,
    value: { sum: 300, sumSquares: 4000 },
    denominator: { sum: 5000, sumSquares: 30_000 },
    product: 2500,
  }),
];

describe('the baseline', () => {
  it('of a share is its rate', () => {
    expect(metricBaseline(historyOf({ kind: 'retention' }, { groups }))).toEqual({
      value: 0.08,
      visitors: 4000,
      pending: 40,
      baseline: { metric: 'proportion', rate: 0.08 },
    });
  });

  it('of a sum is its mean and variance', () => {
    const { value, baseline } = metricBaseline(historyOf({ kind: 'sum' }, { groups }));
    expect(value).toBe(0.2);
    expect(baseline).toMatchObject({ metric: 'mean', mean: 0.2 });
    expect((baseline as { variance: number }).variance).toBeCloseTo((9000 - 4000 * 0.04) / 3999, 10);
  });

  it('of a ratio has the variance of the delta method', () => {
    const { value, baseline } = metricBaseline(historyOf({ kind: 'ratio' }, { groups }));
    const ratio = 800 / 14_000;
    expect(value).toBeCloseTo(ratio, 12);
    const residual = 9000 - 2 * ratio * 5500 + ratio ** 2 * 70_000;
    const { variance } = baseline as { variance: number };
    expect(variance).toBeCloseTo(residual / 3999 / 3.5 ** 2, 10);
    expect(baseline).toMatchObject({ metric: 'ratio', mean: value });
  });

  it('of a quantile is by visitor, with those who have no values', () => {
    const quantile = quantileOf('x', 1.8, 0.05, { visitors: 2000, pending: 200 });
    const found = metricBaseline(historyOf({ kind: 'quantile', quantile: 0.9 }, { quantile }));
    expect(found).toMatchObject({ value: 1.8, visitors: 4800, pending: 200 });
    expect(found.baseline).toEqual({ metric: 'mean', mean: 1.8, variance: 4800 * 0.05 ** 2 });
  });

  it.each([
    ['a sum of few', historyOf({ kind: 'sum' }, { groups: [metricGroup('x', 1000, 24)] })],
    [
      'a quantile of few',
      historyOf(
        { kind: 'quantile', quantile: 0.9 },
        { quantile: quantileOf('x', 1, 0.1, { visitors: 124 }) },
      ),
    ],
    [
      'a quantile without a spread',
      historyOf({ kind: 'quantile', quantile: 0.9 }, { quantile: quantileOf('x', 1, null) }),
    ],
  ])('of %s is unknown, and the value is not', (_, history) => {
    const { value, baseline } = metricBaseline(history);
    expect([value === null, baseline]).toEqual([false, null]);
  });

  it('without visitors is unknown', () => {
    expect(metricBaseline(historyOf({ kind: 'sum' }, { visitors: 0 }))).toEqual({
      value: null,
      visitors: 0,
      pending: 0,
      baseline: null,
    });
  });
});

const RATE: Baseline = { metric: 'proportion', rate: 0.1 };
const effect = { kind: 'relative', value: 0.1 } as const;

describe('the plan', () => {
  it('goes on until the window of the last visitor is over', () => {
    const plan = planTest({
      method: 'frequentist',
      baseline: RATE,
      smallestEffect: effect,
      dailyVisitors: 1000,
    })!;
    expect(plan.days).toBe(30);
    const input = { method: 'frequentist', baseline: RATE, smallestEffect: effect } as const;
    expect(planForMetric({ ...input, dailyVisitors: 1000, withinDays: 7 })).toEqual({ ...plan, days: 37 });
    expect(planForMetric({ ...input, dailyVisitors: 1000, withinDays: null })).toEqual(plan);
    expect(planForMetric({ ...input, withinDays: 7 })!.days).toBeNull();
  });

  it('has no visitors for a metric that nobody reaches', () => {
    const baseline = { metric: 'proportion', rate: 0 } as const;
    expect(
      planForMetric({ method: 'sequential', baseline, smallestEffect: effect, withinDays: 7 }),
    ).toBeNull();
  });
});

describe('what can be found', () => {
  const baselines: Baseline[] = [
    RATE,
    { metric: 'mean', mean: 12, variance: 900 },
    { metric: 'ratio', mean: 0.05, variance: 0.01 },
  ];

  it.each(METHODS)('after the planned number of visitors is the planned effect: %s', (method) => {
    for (const baseline of baselines) {
      for (const variations of [2, 4]) {
        const plan = planTest({ method, baseline, variations, smallestEffect: effect })!;
        const found = detectableEffect({ method, baseline, variations }, plan.visitors)!;
        expect(found).toBeCloseTo(0.1, 4);
        expect(found).toBeLessThanOrEqual(0.1);
      }
    }
  });

  it('after some days is found by visitors whose window is over by then', () => {
    const input = { method: 'frequentist', baseline: RATE, dailyVisitors: 1000 } as const;
    const after = (days: number, withinDays: number | null) =>
      detectableForMetric({ ...input, withinDays }, days);
    expect(after(37, 7)).toBeCloseTo(after(30, null)!, 12);
    expect(after(30, null)).toBeCloseTo(detectableEffect(input, 30_000)!, 12);
    expect(after(7, 7)).toBeNull();
    expect(detectableForMetric({ ...input, dailyVisitors: 0, withinDays: null }, 30)).toBeNull();
  });

  it('is nothing if even the largest effect needs more, or without a baseline', () => {
    const of = (baseline: Baseline, visitors: number) =>
      detectableEffect({ method: 'frequentist', baseline }, visitors);
    expect(of({ metric: 'proportion', rate: 0.9 }, 20)).toBeNull();
    expect(of({ metric: 'proportion', rate: 0 }, 1e6)).toBeNull();
    expect(of({ metric: 'proportion', rate: 1 }, 1e6)).toBeNull();
    expect(of({ metric: 'mean', mean: 0, variance: 4 }, 1e6)).toBeNull();
    expect(of({ metric: 'mean', mean: 3, variance: 0 }, 1e6)).toBeNull();
    expect(of({ metric: 'mean', mean: 3, variance: 4 }, 0)).toBeNull();
  });
});
