import { describe, expect, it } from 'vitest';
import { sumVisitors } from '../testing/sum-visitors.ts';
import { type Analysis, analyse, METHODS, type Method } from './analysis.ts';
import { NO_COMPARISON } from './comparison.ts';
import { normalSurvival, normalUpperQuantile } from './distributions/normal.ts';
import { Boundaries } from './group-sequential/boundaries.ts';
import { looksAt } from './group-sequential/compare.ts';

const proportion = (method: Method, ...counts: [n: number, sum: number][]): Analysis => ({
  method,
  metric: 'proportion',
  control: 'v0',
  variations: counts.map(([n, sum], i) => ({ key: `v${i}`, n, sum, sumSquares: sum })),
});

const mean = (method: Method, ...values: number[][]): Analysis => ({
  method,
  metric: 'mean',
  control: 'v0',
  variations: values.map((of, i) => ({ key: `v${i}`, ...sumVisitors(of) })),
});

const second = (analysis: Analysis) => analyse(analysis).variations[1]!;

describe.each(METHODS)('degenerate numbers, %s', (method) => {
  it('gives null for a variation or a control without visitors', () => {
    for (const analysis of [proportion(method, [100, 10], [0, 0]), mean(method, [1, 2, 3], [])]) {
      expect(second(analysis)).toEqual({ key: 'v1', n: 0, mean: null, ...NO_COMPARISON });
    }
    expect(second(proportion(method, [0, 0], [100, 10]))).toEqual({
      key: 'v1',
      n: 100,
      mean: 0.1,
      ...NO_COMPARISON,
    });
    expect(second(mean(method, [], []))).toEqual({ key: 'v1', n: 0, mean: null, ...NO_COMPARISON });
  });

  it('gives the difference without an interval for one visitor', () => {
    expect(second(mean(method, [1, 2, 4.5], [5]))).toEqual({
      key: 'v1',
      n: 1,
      mean: 5,
      ...NO_COMPARISON,
      absolute: { estimate: 2.5, low: null, high: null },
      relative: { estimate: 1, low: null, high: null },
    });
  });

  it('gives the difference without an interval if all visitors have the same value', () => {
    const alike = second(mean(method, [0.1, 0.1, 0.1], [0.3, 0.3]));
    expect(alike).toMatchObject({ pValue: null, chanceToBeat: null, expectedLoss: null });
    expect(alike.absolute).toMatchObject({ low: null, high: null });
    expect(alike.absolute?.estimate).toBeCloseTo(0.2, 12);
  });

  it('bounds the difference of rates if nobody or everybody has converted', () => {
    for (const converted of [0, 50]) {
      const { absolute, pValue } = second(proportion(method, [50, converted], [50, converted]));
      if (method === 'bayesian') expect(absolute).toEqual({ estimate: 0, low: null, high: null });
      else {
        expect(pValue).toBe(1);
        expect(absolute!.low).toBeLessThan(-0.01);
        expect(absolute!.high).toBeCloseTo(-absolute!.low!, 9);
      }
    }
  });

  it('has no relative uplift over a control with mean zero', () => {
    expect(second(proportion(method, [100, 0], [100, 10])).relative).toBeNull();
    expect(second(mean(method, [-1, 1, 3, -3], [1, 2, 3])).relative).toBeNull();
    expect(second(mean(method, [-1, 1, 3, -3], [1, 2, 3])).absolute?.low).toBeTypeOf('number');
  });

  it('supports negative means', () => {
    const { absolute, relative } = second(mean(method, [-10, -20, 3], [-5, -6, 0]));
    expect(absolute?.estimate).toBeCloseTo(16 / 3, 12);
    // Relative to a negative mean, the sign is reversed.
    expect(relative?.estimate).toBeCloseTo(-16 / 27, 12);
    for (const bound of [absolute?.low, absolute?.high]) expect(bound).toBeTypeOf('number');
  });

  it('gives no NaN for very large numbers', () => {
    const sums = { n: 1000, sum: 1e153, sumSquares: 1e305 };
    const analysis: Analysis = {
      method,
      metric: 'mean',
      control: 'a',
      variations: [
        { key: 'a', ...sums },
        { key: 'b', ...sums, sum: 2e153 },
      ],
    };
    expect(Object.values(second(analysis).absolute!).filter((value) => !Number.isFinite(value))).toEqual([]);
  });
});

it.each(METHODS)('%s does not take an arm without any conversion for certainty', (method) => {
  const { absolute, pValue, chanceToBeat } = second(proportion(method, [5000, 400], [10, 0]));
  if (method === 'bayesian') expect([absolute!.low, chanceToBeat]).toEqual([null, null]);
  else {
    expect(absolute!.low! < 0 && absolute!.high! > 0).toBe(true);
    expect(pValue).toBeGreaterThan(0.3);
  }
});

it('the test of rates is defined for none against all', () => {
  const { absolute, pValue } = second(proportion('frequentist', [5, 0], [5, 5]));
  expect(absolute).toMatchObject({ estimate: 1, high: 1 });
  expect(absolute!.low).toBeGreaterThan(0);
  // z² of the pooled test is the total number of visitors, 10.
  expect(pValue).toBeCloseTo(0.001565402258, 12);
});

describe('relative intervals', () => {
  const [control, variation] = [
    [0, 0, 0, 0, 0, 0, 0, 0, 9, 1],
    [0, 0, 5, 8, 6, 9, 0, 7, 8, 9],
  ];

  it('have an open end if the mean of the control may be zero', () => {
    const { absolute, relative } = second(mean('frequentist', control!, variation!));
    expect(absolute!.low).toBeGreaterThan(0);
    expect(relative!.low).toBeGreaterThan(0);
    expect(relative!.high).toBeNull();
    const unclear = second(mean('frequentist', control!, control!.toReversed()));
    expect(unclear.relative).toEqual({ estimate: 0, low: null, high: null });
  });

  it('are cut at -100 % if the metric cannot be negative', () => {
    const falling = mean('frequentist', variation!, control!);
    expect(second(falling).relative!.low).toBeLessThan(-1);
    expect(second({ ...falling, nonNegative: true } as Analysis).relative!.low).toBe(-1);
    const unclear = { ...mean('frequentist', control!, control!.toReversed()), nonNegative: true };
    expect(second(unclear as Analysis).relative).toEqual({ estimate: 0, low: -1, high: null });
    expect(second(proportion('frequentist', [40, 4], [40, 0])).relative).toMatchObject({
      estimate: -1,
      low: -1,
    });
  });
});

it('finds the bounds of very wide relative intervals', () => {
  for (const sequentialN of [1e6, 5e6, 1e9]) {
    for (const visitors of [2, 20]) {
      const analysis = proportion('sequential', [visitors, 1], [visitors, 1]);
      const { low, high } = second({ ...analysis, sequentialN } as Analysis).relative!;
      expect(low).toBeGreaterThanOrEqual(-1);
      expect(low).toBeLessThan(-0.9);
      expect(high === null || (high > 10 && high < 1e15)).toBe(true);
    }
  }
});

it('looks with hardly any new visitors are one look', () => {
  const visitors = [2000, 4000, 6000, 8000, 10_000];
  const criticals = (counts: number[]) =>
    new Boundaries(looksAt(counts, 10_000, 'obrien-fleming').fractions, 'obrien-fleming')
      .criticals(0.05)
      .at(-1)!;
  const plain = criticals(visitors);
  for (const step of [1e-5, 0.01, 1]) {
    const close = Array.from({ length: 7 }, (_, i) => 6000 + step * i);
    expect(criticals([2000, 4000, ...close, 8000, 10_000])).toBeCloseTo(plain, 2);
  }
});

describe('covariates', () => {
  const pairs = Array.from({ length: 400 }, (_, i) => {
    const covariate = (i * 37) % 101;
    return [covariate + ((i * 53) % 11), covariate] as const;
  });
  const [a, b] = [pairs.slice(0, 200), pairs.slice(200).map(([y, x]) => [y + 1, x] as const)];
  const analysis = (control = a, variation = b): Analysis => ({
    method: 'frequentist',
    metric: 'mean',
    control: 'a',
    variations: [
      { key: 'a', ...sumVisitors(control) },
      { key: 'b', ...sumVisitors(variation) },
    ],
  });

  it('narrow the interval and keep the observed mean', () => {
    const adjusted = second(analysis());
    const plain = second({
      ...analysis(),
      variations: [a, b].map((of, i) => ({ key: 'ab'[i]!, ...sumVisitors(of.map(([y]) => y)) })),
    } as Analysis);
    expect(adjusted.mean).toBe(plain.mean);
    const width = ({ absolute }: typeof plain) => absolute!.high! - absolute!.low!;
    expect(width(adjusted)).toBeLessThan(0.2 * width(plain));
    expect(adjusted.relative!.estimate).toBeCloseTo(
      adjusted.absolute!.estimate / analyse(analysis()).variations[0]!.mean!,
      12,
    );
  });

  it('change nothing if they are constant, or only some variations have them', () => {
    const constant = (of: typeof a) => of.map(([y]) => [y, 3] as const);
    const plain = (of: typeof a) => of.map(([y]) => y);
    const sums = (of: Parameters<typeof sumVisitors>[0], key: string) => ({ key, ...sumVisitors(of) });
    const of = (variations: Analysis['variations']) =>
      second({ ...analysis(), variations } as Analysis).absolute!;
    const unadjusted = of([sums(plain(a), 'a'), sums(plain(b), 'b')]);
    expect(of([sums(constant(a), 'a'), sums(constant(b), 'b')])).toEqual(unadjusted);
    expect(of([sums(a, 'a'), sums(plain(b), 'b')])).toEqual(unadjusted);
  });

  it('that are centered affect the test of a rate as well as its interval', () => {
    const centred = { n: 1000, covariates: { sums: [0], products: [[1000]], shared: [200] } };
    const { absolute, pValue } = second({
      method: 'frequentist',
      metric: 'proportion',
      control: 'a',
      variations: [
        { key: 'a', ...centred, sum: 100, sumSquares: 100 },
        { key: 'b', ...centred, sum: 130, sumSquares: 130 },
      ],
    });
    const error = (absolute!.high! - absolute!.estimate) / normalUpperQuantile(0.025);
    expect(pValue).toBeCloseTo(2 * normalSurvival(absolute!.estimate / error), 12);
  });

  it('stay precise far from zero', () => {
    const visitors = (offset: number) =>
      Array.from({ length: 2001 }, (_, i) => {
        const value = (i * 37) % 101;
        return [value, offset + value] as const;
      });
    const estimate = (offset: number) =>
      second(analysis(visitors(offset), visitors(offset + 31))).absolute!.estimate;
    // The integer sums are exact per variation, but not when added up.
    expect(estimate(2_000_000)).toBeCloseTo(estimate(0), 8);
  });

  it('that explain everything leave no variance', () => {
    const same = (of: typeof a) => of.map(([, x]) => [2 * x, x] as const);
    expect(second(analysis(same(a), same(b))).absolute).toMatchObject({ low: null, high: null });
  });
});

it('tests the split only if there are weights', () => {
  const analysis = proportion('sequential', [1000, 10], [1200, 10]);
  expect(analyse(analysis).srm).toBeNull();
  expect(analyse({ ...analysis, weights: [50, 60] }).srm).toEqual({ pValue: 1 });
  expect(analyse({ ...analysis, weights: [1, 1] }).srm?.pValue).toBeLessThan(0.01);
  expect(analyse({ ...analysis, weights: [1, 0] }).srm).toBeNull();
  const three = proportion('sequential', [1000, 10], [1000, 10], [1, 0]);
  expect(analyse({ ...three, weights: [1, 1, 0] }).srm?.pValue).toBe(0);
  expect(analyse({ ...proportion('sequential', [0, 0], [0, 0]), weights: [1, 1] }).srm).toBeNull();
});

it('revenue per converted visitor is null without conversions', () => {
  const none = { n: 10, sum: 0, sumSquares: 0, denominatorSum: 0, denominatorSumSquares: 0, product: 0 };
  const some = { n: 10, sum: 30, sumSquares: 500, denominatorSum: 2, denominatorSumSquares: 2, product: 30 };
  const variations = [
    { key: 'a', ...some },
    { key: 'b', ...none },
    { key: 'c', ...some, n: 1 },
  ];
  const result = analyse({ method: 'frequentist', metric: 'ratio', control: 'a', variations }).variations;
  expect(result.map(({ mean }) => mean)).toEqual([15, null, 15]);
  expect(result[1]!.absolute).toBeNull();
  expect(result[2]!.absolute).toEqual({ estimate: 0, low: null, high: null });
});

it('returns the settings that were used', () => {
  const settings = (more: Partial<Analysis>) =>
    analyse({ ...proportion('sequential', [10, 1], [10, 2]), ...more } as Analysis).settings;
  const none = { looks: null, sequentialN: null, prior: null };
  expect(settings({})).toEqual({ ...none, method: 'sequential', alpha: 0.05, sequentialN: 5000 });
  expect(settings({ method: 'group-sequential' }).looks).toEqual({
    fractions: [1],
    current: 0,
    spending: 'obrien-fleming',
  });
  expect(settings({ method: 'bayesian', alpha: 0.1 })).toEqual({
    ...none,
    method: 'bayesian',
    alpha: 0.1,
    prior: { proper: false },
  });
  const prior = { proper: true, mean: 0, sd: 0.3 } as const;
  expect(settings({ method: 'bayesian', prior }).prior).toEqual(prior);
});

it('a proper prior shrinks small tests, and is undefined for a control with mean zero', () => {
  const prior = { proper: true, mean: 0, sd: 0.1 } as const;
  const analysed = (...counts: [number, number][]) =>
    second({ ...proportion('bayesian', ...counts), prior } as Analysis);
  const flat = second(proportion('bayesian', [100, 10], [100, 20]));
  const drawn = analysed([100, 10], [100, 20]);
  expect(drawn.absolute!.estimate).toBeGreaterThan(0);
  expect(drawn.absolute!.estimate).toBeLessThan(0.2 * flat.absolute!.estimate);
  expect(drawn.chanceToBeat).toBeLessThan(flat.chanceToBeat!);
  expect(analysed([100, 0], [100, 20])).toMatchObject({ absolute: null, relative: null, chanceToBeat: null });
});

it.each([10, 1000, 1e5, 1e7])('bounds of 5 of 5 against a variation of %d, all converted, are exact', (n) => {
  const { absolute, relative } = analyse({
    method: 'frequentist',
    metric: 'proportion',
    control: 'a',
    variations: [
      { key: 'a', n: 5, sum: 5, sumSquares: 5 },
      { key: 'b', n, sum: n, sumSquares: n },
    ],
  }).variations[1]!;
  // The most likely rate of the other variation is 1, so each bound has a closed form.
  const squared = normalUpperQuantile(0.025) ** 2;
  expect(absolute!.low! / -(squared / (n + squared))).toBeCloseTo(1, 9);
  expect(absolute!.high! / (squared / (5 + squared))).toBeCloseTo(1, 9);
  expect(relative!.low! / -(squared / (n + squared))).toBeCloseTo(1, 9);
  expect(relative!.high! / (squared / 5)).toBeCloseTo(1, 9);
});
