import { describe, expect, it } from 'vitest';
import { MEAN, PLANNED } from '../testing/analysis-inputs.ts';
import { readAnalysis } from './analysis-input.ts';

const [a, b] = MEAN.variations;

const fields = (input: unknown) => {
  const reading = readAnalysis(input);
  return 'mistakes' in reading ? reading.mistakes.map(({ field }) => field) : [];
};

describe('an input', () => {
  it('is read with defaults', () => {
    expect(readAnalysis(MEAN)).toEqual({
      analysis: { ...MEAN, alpha: 0.05, sequentialN: 5000, weights: undefined },
    });
    const variations = [
      { key: 'a', n: 10, sum: 0 },
      { key: 'b', n: 0, sum: 0 },
    ];
    expect(fields({ ...MEAN, metric: 'proportion', variations })).toEqual([]);
    for (const weights of [{ a: 1, b: 2 }, [1, 2]]) {
      expect(readAnalysis({ ...MEAN, weights })).toMatchObject({ analysis: { weights: [1, 2] } });
    }
  });

  it('has the looks of a group-sequential test as shares of the plan', () => {
    const looks = (more: object) => readAnalysis({ ...PLANNED, ...more });
    expect(looks({ earlierLooks: [3], spending: 'pocock' })).toMatchObject({
      analysis: { looks: { fractions: [0.25, 0.5], current: 1, spending: 'pocock' } },
    });
    // Visitors beyond the plan are part of the last look.
    expect(looks({ plannedVisitors: 4, earlierLooks: [2] })).toMatchObject({
      analysis: { looks: { fractions: [0.5, 1], current: 1, spending: 'obrien-fleming' } },
    });
  });

  it('is rejected with all mistakes at once', () => {
    const input = {
      method: 'guess',
      alpha: 1,
      sequentialN: 0,
      metric: 'median',
      control: 'c',
      weights: [1],
      extra: 1,
    };
    expect(
      fields({ ...input, variations: [a, { key: 'a', n: 1.5, sum: '3', sumSquares: -1, more: 0 }] }),
    ).toEqual([
      'extra',
      'method',
      'metric',
      'alpha',
      'sequentialN',
      'variations[1].more',
      'variations[1].n',
      'variations[1].sum',
      'variations[1].sumSquares',
      'variations[1].key',
      'control',
      'weights',
    ]);
  });

  it.each([
    ['(input)', 3],
    ['(input)', null],
    ['variations', { ...MEAN, variations: undefined }],
    ['variations', { ...MEAN, variations: [a] }],
    ['variations[1]', { ...MEAN, variations: [a, null] }],
    ['method', { ...MEAN, method: undefined }],
    ['control', { ...MEAN, control: 7 }],
    ['alpha', { ...MEAN, alpha: '5%' }],
    ['variations[1].n', { ...MEAN, variations: [a, { ...b, n: -1 }] }],
    ['variations[1].sum', { ...MEAN, variations: [a, { ...b, n: 0, sumSquares: 0 }] }],
    ['variations[0].sumSquares', { ...MEAN, variations: [{ ...a, sumSquares: 11.9 }, b] }],
    ['variations[0].sumSquares', { ...MEAN, variations: [{ ...a, sumSquares: undefined }, b] }],
    [
      'variations[1].sum',
      {
        ...MEAN,
        metric: 'proportion',
        variations: [
          { key: 'a', n: 5, sum: 1 },
          { key: 'b', n: 5, sum: 6 },
        ],
      },
    ],
    [
      'variations[1].sumSquares',
      {
        ...MEAN,
        metric: 'proportion',
        variations: [
          { key: 'a', n: 5, sum: 1 },
          { key: 'b', n: 5, sum: 3, sumSquares: 4 },
        ],
      },
    ],
    ['weights.b', { ...MEAN, weights: { a: 1 } }],
    ['weights.c', { ...MEAN, weights: { a: 1, b: 1, c: 1 } }],
    ['weights[1]', { ...MEAN, weights: [1, -1] }],
    ['weights', { ...MEAN, weights: [1, 0] }],
    ['weights', { ...MEAN, weights: 'even' }],
    ['nonNegative', { ...MEAN, nonNegative: 'yes' }],
    ['plannedVisitors', { ...MEAN, method: 'group-sequential' }],
    ['plannedVisitors', { ...PLANNED, plannedVisitors: 0 }],
    ['earlierLooks', { ...PLANNED, earlierLooks: 3 }],
    ['earlierLooks', { ...PLANNED, earlierLooks: [4, 2] }],
    ['earlierLooks', { ...PLANNED, earlierLooks: [6] }],
    ['earlierLooks', { ...PLANNED, earlierLooks: ['2'] }],
    ['spending', { ...PLANNED, spending: 'all at once' }],
    ['spending', { ...MEAN, spending: 'pocock' }],
  ])('names %s', (field, input) => {
    expect(fields(input)).toEqual([field]);
  });

  it('has all covariate sums for all variations, or none', () => {
    const covariates = { covariateSum: 3, covariateSumSquares: 5, covariateProduct: 8 };
    const both = [
      { ...a, ...covariates },
      { ...b, ...covariates, covariateProduct: -2 },
    ];
    expect(fields({ ...MEAN, variations: both })).toEqual([]);
    expect(fields({ ...MEAN, variations: [both[0], { ...b, covariateSum: 3 }] })).toEqual([
      'variations[1].covariateSumSquares',
      'variations[1].covariateProduct',
    ]);
    expect(fields({ ...MEAN, variations: [both[0], { ...both[1], covariateSumSquares: 2 }] })).toEqual([
      'variations[1].covariateSumSquares',
    ]);
    expect(fields({ ...MEAN, variations: [both[0], { ...both[1], covariateProduct: 80 }] })).toEqual([
      'variations[1].covariateProduct',
    ]);
  });
});
