import { describe, expect, it } from 'vitest';
import { convertedOnce, countsOf, goalOf, sumsOf } from '../../testing/report-cases.ts';
import { analyse } from '../analysis.ts';
import { feedbackGoalId } from './feedback-goal.ts';
import type { CountedGoal, VisitorsBefore } from './report-input.ts';
import { type MetricName, metricsOf, nonNegativeGoals, unitOf } from './report-metrics.ts';

const METHOD = { method: 'frequentist' } as const;
const settings = (more: object = {}) => ({
  method: METHOD,
  cuped: false,
  isNonNegative: () => true,
  ...more,
});

/** 40 of 200 visitors converted, 50 times, for 900 dollars. */
const sums = (factor: number) =>
  sumsOf('x', {
    converted: 40 * factor,
    conversions: { sum: 50 * factor, sumSquares: 80 * factor },
    amount: { sum: 900 * factor, sumSquares: 30_000 * factor },
    convertedAmount: 1000 * factor,
  });

const counts = [
  countsOf('control', 200, { goals: new Map([['x', sums(1)]]) }),
  countsOf('b', 300, { goals: new Map([['x', sums(2)]]) }),
];

describe('the metrics of a goal', () => {
  const means = (goal: CountedGoal) =>
    metricsOf(goal, counts, settings(), 'all').map(({ metric, decides, variations }) => [
      metric,
      decides,
      ...variations.map(({ mean }) => mean),
    ]);

  it('that counts', () => {
    expect(means(goalOf('x'))).toEqual([
      ['conversion-rate', true, 0.2, 80 / 300],
      ['conversions-per-visitor', false, 0.25, 100 / 300],
    ]);
  });

  it('of revenue', () => {
    expect(means(goalOf('x', { kind: 'revenue' } as object))).toEqual([
      ['revenue-per-visitor', true, 4.5, 6],
      ['conversion-rate', false, 0.2, 80 / 300],
      ['revenue-per-converted-visitor', false, 22.5, 22.5],
    ]);
  });

  it('of feedback', () => {
    const feedback = (option: string | null) =>
      goalOf('x', { kind: 'feedback', feedbackTypeId: 'nps', option } as object);
    expect(feedbackGoalId('nps')).toBe('feedback:nps');
    expect(feedbackGoalId('nps', 'bad')).toBe('feedback:nps:bad');
    const answered = [100, 250].map((converted, index) => {
      const { goals, ...rest } = counts[index]!;
      return {
        ...rest,
        goals: new Map([...goals, ['feedback:nps', convertedOnce('feedback:nps', converted)]]),
      };
    });
    const of = (option: string | null) =>
      metricsOf(feedback(option), answered, settings(), 'all').map(({ metric, decides, variations }) => [
        metric,
        decides,
        ...variations.map(({ n, mean }) => [n, mean]),
      ]);
    expect(of('bad')).toEqual([
      ['option-share', true, [100, 0.4], [250, 0.32]],
      ['answer-rate', false, [200, 0.5], [300, 250 / 300]],
    ]);
    expect(of(null)).toEqual([['answer-rate', true, [200, 0.5], [300, 250 / 300]]]);
  });

  it('are only the first one if the others are not wanted', () => {
    const first = metricsOf(goalOf('x'), counts, settings(), 'deciding');
    expect(first.map(({ metric, decides }) => [metric, decides])).toEqual([['conversion-rate', true]]);
  });

  it('are compared with the first variation, by the method', () => {
    const [rate, perVisitor] = metricsOf(goalOf('x'), counts, settings(), 'all');
    const arms = [200, 300].map((n, index) => ({ key: ['control', 'b'][index]!, n }));
    const common = { ...METHOD, control: 'control', nonNegative: true };
    const of = (metric: 'mean' | 'proportion', values: readonly (readonly [number, number])[]) =>
      analyse({
        ...common,
        metric,
        variations: arms.map((it, index) => ({
          ...it,
          sum: values[index]![0],
          sumSquares: values[index]![1],
        })),
      }).variations;
    expect(rate!.variations).toEqual(
      of('proportion', [
        [40, 40],
        [80, 80],
      ]),
    );
    expect(perVisitor!.variations).toEqual(
      of('mean', [
        [50, 80],
        [100, 160],
      ]),
    );
  });

  it('have the covariance of revenue and conversions in the ratio', () => {
    const revenue = goalOf('x', { kind: 'revenue' } as object);
    const ratio = metricsOf(revenue, counts, settings(), 'all')[2]!;
    const sumsFor = (n: number, factor: number) => ({
      n,
      sum: 900 * factor,
      sumSquares: 30_000 * factor,
      denominatorSum: 40 * factor,
      denominatorSumSquares: 40 * factor,
      product: 1000 * factor,
    });
    const variations = [
      { key: 'control', ...sumsFor(200, 1) },
      { key: 'b', ...sumsFor(300, 2) },
    ];
    const expected = analyse({
      ...METHOD,
      metric: 'ratio',
      control: 'control',
      nonNegative: true,
      variations,
    });
    expect(ratio.variations).toEqual(expected.variations);
  });

  it('without any count are zero', () => {
    const [rate] = metricsOf(goalOf('gone'), counts, settings(), 'all');
    expect(rate!.variations.map(({ mean }) => mean)).toEqual([0, 0]);
  });

  it.each<[MetricName, string]>([
    ['conversion-rate', 'rate'],
    ['conversions-per-visitor', 'number'],
    ['revenue-per-visitor', 'dollars'],
    ['revenue-per-converted-visitor', 'dollars'],
    ['answer-rate', 'rate'],
    ['option-share', 'rate'],
  ])('%s is written as a %s', (metric, unit) => {
    expect(unitOf({ metric })).toBe(unit);
  });
});

describe('covariates', () => {
  const before: VisitorsBefore = {
    known: 90,
    sessions: 140,
    sessionsSquares: 320,
    revenue: 600,
    revenueSquares: 20_000,
    knownRevenue: 550,
    product: 1300,
  };
  const covariates = {
    covariateSum: 30,
    covariateSumSquares: 45,
    covariateProduct: 24,
    knownSum: 25,
    sessionsProduct: 52,
    revenueProduct: 210,
    covariateKnown: 21,
    covariateSessions: 48,
    covariateRevenue: 190,
  };
  const converted = {
    convertedCovariate: 19,
    convertedKnown: 22,
    convertedSessions: 41,
    convertedRevenue: 170,
  };
  const goal = goalOf('x');
  const visited = ['control', 'b'].map((key, index) =>
    countsOf(key, 200, {
      before,
      goals: new Map([
        [
          'x',
          sumsOf('x', {
            converted: 40 + 10 * index,
            conversions: { sum: 50 + 10 * index, sumSquares: 80 + 10 * index, ...covariates },
            ...converted,
          }),
        ],
      ]),
    }),
  );
  const products = [
    [45, 21, 48, 190],
    [21, 90, 140, 550],
    [48, 140, 320, 1300],
    [190, 550, 1300, 20_000],
  ];
  const expected = (
    metric: 'mean' | 'proportion',
    own: readonly number[],
    squares: readonly number[],
    shared: readonly number[],
  ) =>
    analyse({
      ...METHOD,
      metric,
      control: 'control',
      nonNegative: true,
      variations: ['control', 'b'].map((key, index) => ({
        key,
        n: 200,
        sum: own[index]!,
        sumSquares: squares[index]!,
        covariates: { sums: [30, 90, 140, 600], products, shared },
      })),
    }).variations;

  it('are the same value before the test, known visitors, their sessions and revenue', () => {
    const [rate, perVisitor] = metricsOf(goal, visited, settings({ cuped: true }), 'all');
    expect(rate!.variations).toEqual(expected('proportion', [40, 50], [40, 50], [19, 22, 41, 170]));
    expect(perVisitor!.variations).toEqual(expected('mean', [50, 60], [80, 90], [24, 25, 52, 210]));
    const plain = metricsOf(goal, visited, settings(), 'all');
    expect(plain[0]!.variations).not.toEqual(rate!.variations);
    expect(plain[1]!.variations).not.toEqual(perVisitor!.variations);
  });
});

describe('a goal is never negative', () => {
  const isNonNegative = (sum: number, convertedAmount: number, kind = 'revenue') => {
    const second = sumsOf('x', { amount: { sum }, convertedAmount });
    const all = [counts[1]!, countsOf('c', 10, { goals: new Map([['x', second]]) }), countsOf('d', 10)];
    const fine = sumsOf('x', { amount: { sum: 9 }, convertedAmount: 9 });
    const first = countsOf('a', 10, { goals: new Map([['x', fine]]) });
    return nonNegativeGoals([first, ...all.slice(1)])(goalOf('x', { kind } as object));
  };

  it('unless refunds of visitors who did not convert lower the revenue of a variation', () => {
    expect(isNonNegative(10, 10)).toBe(true);
    expect(isNonNegative(9.99, 10)).toBe(false);
    expect(isNonNegative(9.99, 10, 'count')).toBe(true);
  });
});
