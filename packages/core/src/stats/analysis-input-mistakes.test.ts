import { describe, expect, it } from 'vitest';
import { MEAN, PLANNED } from '../testing/analysis-inputs.ts';
import { readAnalysis } from './analysis-input.ts';

// Each mistake with its message, and the last value that is still fine.

const [a, b] = MEAN.variations as [object, object];
const RATE = {
  ...MEAN,
  metric: 'proportion',
  variations: [
    { key: 'a', n: 5, sum: 1 },
    { key: 'b', n: 5, sum: 3 },
  ],
};

const mistakes = (input: unknown) => {
  const reading = readAnalysis(input);
  return 'mistakes' in reading ? reading.mistakes.map(({ field, message }) => `${field} ${message}`) : [];
};
const withB = (more: object) => mistakes({ ...MEAN, variations: [a, { ...b, ...more }] });
const withRate = (more: object) =>
  mistakes({ ...RATE, variations: [RATE.variations[0], { ...RATE.variations[1], ...more }] });

describe('the settings', () => {
  it('must be an object', () => {
    for (const input of [null, undefined, 3, 'x', []])
      expect(mistakes(input)).toEqual(['(input) must be an object']);
  });

  it('have known names', () => {
    expect(mistakes({ ...MEAN, extra: 1, other: 2 })).toEqual([
      'extra is an unknown field',
      'other is an unknown field',
    ]);
    expect(withB({ more: 0 })).toEqual(['variations[1].more is an unknown field']);
    expect(mistakes({ ...MEAN, nonNegative: true })).toEqual([]);
  });

  it('have a method and a metric', () => {
    const methods = '"sequential", "group-sequential", "frequentist", "bayesian"';
    expect(mistakes({ ...MEAN, method: 'guess' })).toEqual([`method must be one of ${methods}`]);
    expect(mistakes({ ...MEAN, method: undefined })).toEqual([
      `method is missing; it must be one of ${methods}`,
    ]);
    expect(mistakes({ ...MEAN, metric: 'ratio' })).toEqual(['metric must be one of "mean", "proportion"']);
  });

  it('have an alpha between 0 and 1', () => {
    const message = 'alpha must be greater than 0 and less than 1';
    expect(mistakes({ ...MEAN, alpha: 0 })).toEqual([message]);
    expect(mistakes({ ...MEAN, alpha: 1 })).toEqual([message]);
    expect(mistakes({ ...MEAN, alpha: 0.999 })).toEqual([]);
    expect(mistakes({ ...MEAN, alpha: '0.05' })).toEqual(['alpha must be a number']);
    expect(mistakes({ ...MEAN, alpha: Number.POSITIVE_INFINITY })).toEqual(['alpha must be a number']);
    expect(mistakes({ ...MEAN, alpha: null })).toEqual(['alpha must be a number']);
  });

  it('have a positive tuning', () => {
    expect(mistakes({ ...MEAN, sequentialN: 0 })).toEqual(['sequentialN must be greater than 0']);
    expect(mistakes({ ...MEAN, sequentialN: 'x' })).toEqual(['sequentialN must be a number']);
    expect(readAnalysis({ ...MEAN, sequentialN: 1, alpha: 0.1, nonNegative: false })).toEqual({
      analysis: { ...MEAN, sequentialN: 1, alpha: 0.1, nonNegative: false, weights: undefined },
    });
  });

  it('say whether values are negative', () => {
    expect(mistakes({ ...MEAN, nonNegative: 1 })).toEqual(['nonNegative must be true or false']);
    expect(readAnalysis({ ...MEAN, nonNegative: true })).toMatchObject({ analysis: { nonNegative: true } });
    const read = readAnalysis(MEAN) as { analysis: object };
    expect(Object.keys(read.analysis)).not.toContain('nonNegative');
    expect(Object.keys(read.analysis)).not.toContain('looks');
  });

  it('have a control', () => {
    const keys = 'control must be the key of a variation: "a", "b"';
    expect(mistakes({ ...MEAN, control: 'c' })).toEqual([keys]);
    expect(mistakes({ ...MEAN, control: undefined })).toEqual(['control is missing']);
    expect(mistakes({ ...MEAN, control: '' })).toEqual(['control must be a non-empty string']);
    expect(mistakes({ ...MEAN, control: 7 })).toEqual(['control must be a non-empty string']);
  });
});

describe('the looks', () => {
  it('are only for the group-sequential method', () => {
    const message = 'is only for the method "group-sequential"';
    expect(mistakes({ ...MEAN, plannedVisitors: 9, earlierLooks: [], spending: 'pocock' })).toEqual([
      `plannedVisitors ${message}`,
      `earlierLooks ${message}`,
      `spending ${message}`,
    ]);
  });

  it('have a plan', () => {
    expect(mistakes({ ...PLANNED, plannedVisitors: undefined })).toEqual(['plannedVisitors is missing']);
    expect(mistakes({ ...PLANNED, plannedVisitors: 0 })).toEqual(['plannedVisitors must be greater than 0']);
    expect(mistakes({ ...PLANNED, plannedVisitors: 0.5 })).toEqual([]);
    expect(mistakes({ ...PLANNED, spending: 'x' })).toEqual([
      'spending must be one of "obrien-fleming", "pocock"',
    ]);
  });

  it('ascend to the current one', () => {
    const message =
      'earlierLooks must be at most 99 numbers of visitors in ascending order, below the current number';
    for (const earlierLooks of [3, [4, 2], [2, 2], [6], [0], [-1], ['2'], { length: 0 }]) {
      expect(mistakes({ ...PLANNED, earlierLooks })).toEqual([message]);
    }
    expect(mistakes({ ...PLANNED, earlierLooks: [1, 5] })).toEqual([]);
  });

  it('are at most 100', () => {
    const many = (count: number) => ({
      ...PLANNED,
      plannedVisitors: 1e6,
      variations: MEAN.variations.map((it) => ({ ...it, n: 1000 })),
      earlierLooks: Array.from({ length: count }, (_, index) => index + 1),
    });
    expect(mistakes(many(99))).toEqual([]);
    expect(mistakes(many(100))).toEqual([
      'earlierLooks must be at most 99 numbers of visitors in ascending order, below the current number',
    ]);
  });

  it('are none without visitors', () => {
    const variations = ['a', 'b'].map((key) => ({ key, n: 0, sum: 0, sumSquares: 0 }));
    const read = readAnalysis({ ...PLANNED, variations }) as { analysis: object };
    expect(Object.keys(read.analysis)).not.toContain('looks');
    expect(mistakes({ ...PLANNED, variations, earlierLooks: [4] })).toEqual([]);
  });
});

describe('the variations', () => {
  it('are at least two objects', () => {
    const message = 'variations must be a list of at least two variations';
    expect(mistakes({ ...MEAN, variations: undefined })).toEqual([message]);
    expect(mistakes({ ...MEAN, variations: [a] })).toEqual([message]);
    expect(mistakes({ ...MEAN, variations: { length: 2 } })).toEqual([message]);
    expect(mistakes({ ...MEAN, variations: [a, null, []] })).toEqual([
      'variations[1] must be an object',
      'variations[2] must be an object',
    ]);
  });

  it('have a key of their own', () => {
    expect(withB({ key: undefined })).toEqual(['variations[1].key is missing']);
    expect(withB({ key: '' })).toEqual(['variations[1].key must be a non-empty string']);
    expect(mistakes({ ...MEAN, variations: [a, b, { ...b, key: 'a' }, { ...b }] })).toEqual([
      'variations[2].key "a" is a duplicate',
      'variations[3].key "b" is a duplicate',
    ]);
    expect(mistakes({ ...MEAN, variations: [a, { ...b, key: '' }, { ...b, key: '' }] })).toEqual([
      'variations[1].key must be a non-empty string',
      'variations[2].key must be a non-empty string',
    ]);
  });

  it('have a whole number of visitors', () => {
    const message = 'variations[1].n must be an integer number of visitors, at least 0';
    expect(withB({ n: -1 })).toEqual([message]);
    expect(withB({ n: 2.5 })).toEqual([message]);
    expect(withB({ n: 2 ** 53 })).toEqual([message]);
    expect(withB({ n: 2 ** 53 - 1 })).toEqual([]);
    expect(withB({ n: undefined })).toEqual(['variations[1].n is missing']);
    expect(withB({ n: '3' })).toEqual(['variations[1].n must be a number']);
  });

  it('have no sums without visitors', () => {
    expect(withB({ n: 0, sum: 0, sumSquares: 0 })).toEqual([]);
    expect(withB({ n: 0, sum: 1, sumSquares: 0 })).toEqual(['variations[1].sum must be 0 when n is 0']);
    expect(withB({ n: 0, sum: 0, sumSquares: 2 })).toEqual([
      'variations[1].sumSquares must be 0 when n is 0',
    ]);
  });

  it('have a sum of squares that is large enough', () => {
    const small = 'variations[1].sumSquares is too small for this n and sum (at least sum * sum / n)';
    expect(withB({ sum: 6, sumSquares: 12 })).toEqual([]);
    // Rounding errors of sums are no mistake.
    expect(withB({ sum: 6, sumSquares: 12 * (1 - 0.99e-9) })).toEqual([]);
    expect(withB({ sum: 6, sumSquares: 12 * (1 - 2e-9) })).toEqual([small]);
    expect(withB({ sumSquares: -1 })).toEqual(['variations[1].sumSquares must be 0 or more']);
    expect(withB({ sum: 0, sumSquares: 0 })).toEqual([]);
    expect(withB({ sumSquares: undefined })).toEqual(['variations[1].sumSquares is missing']);
  });

  it('have a number of converted visitors for a proportion', () => {
    const message = 'variations[1].sum must be an integer number of converted visitors, from 0 to n';
    for (const sum of [-1, 6, 2.5]) expect(withRate({ sum })).toEqual([message]);
    for (const sum of [0, 5]) expect(withRate({ sum })).toEqual([]);
    expect(withRate({ sum: 'x' })).toEqual(['variations[1].sum must be a number']);
    expect(withRate({ sumSquares: 3 })).toEqual([]);
    expect(withRate({ sumSquares: 4 })).toEqual(['variations[1].sumSquares must equal sum, or be omitted']);
    expect(withRate({ sumSquares: 2 })).toEqual(['variations[1].sumSquares must equal sum, or be omitted']);
    expect(withRate({ n: 0, sum: 1 })).toEqual([message]);
    expect(readAnalysis(RATE)).toMatchObject({
      analysis: { variations: [{ sumSquares: 1 }, { sumSquares: 3 }] },
    });
  });
});

describe('covariates', () => {
  const sums = { covariateSum: 3, covariateSumSquares: 5, covariateProduct: 8 };
  const both = (first: object, second: object) =>
    mistakes({
      ...MEAN,
      variations: [
        { ...a, ...sums, ...first },
        { ...b, ...sums, covariateProduct: -2, ...second },
      ],
    });

  it('are read', () => {
    const variations = [
      { ...a, ...sums },
      { ...b, ...sums, covariateProduct: -2 },
    ];
    expect(readAnalysis({ ...MEAN, variations })).toMatchObject({
      analysis: {
        variations: [
          { ...a, covariates: { sums: [3], products: [[5]], shared: [8] } },
          { ...b, covariates: { sums: [3], products: [[5]], shared: [-2] } },
        ],
      },
    });
  });

  it('are complete if there is any', () => {
    const message = 'is missing: either all variations have all covariate sums, or none has any';
    const names = ['covariateSum', 'covariateSumSquares', 'covariateProduct'];
    expect(mistakes({ ...MEAN, variations: [{ ...a, ...sums }, b] })).toEqual(
      names.map((name) => `variations[1].${name} ${message}`),
    );
    expect(withB({ covariateProduct: 1 })).toEqual([
      ...names.map((name) => `variations[0].${name} ${message}`),
      ...names.slice(0, 2).map((name) => `variations[1].${name} ${message}`),
    ]);
    expect(both({}, { covariateSum: 'x' })).toEqual(['variations[1].covariateSum must be a number']);
  });

  it('are possible', () => {
    expect(both({}, { covariateSumSquares: 2 })).toEqual([
      'variations[1].covariateSumSquares is too small for this n and sum (at least sum * sum / n)',
    ]);
    // The spreads of the first variation are 14 - 12 and 5 - 3, so that the product is 6 plus at most 2.
    const message = 'variations[0].covariateProduct is impossible with these sums';
    expect(both({ covariateProduct: 8 }, {})).toEqual([]);
    expect(both({ covariateProduct: 4 }, {})).toEqual([]);
    expect(both({ covariateProduct: 8.000_001 }, {})).toEqual([message]);
    expect(both({ covariateProduct: 3.999_999 }, {})).toEqual([message]);
    // Without any spread, the product follows from the sums.
    expect(both({ sumSquares: 12, covariateProduct: 6 }, {})).toEqual([]);
    expect(both({ sumSquares: 12, covariateProduct: 6.1 }, {})).toEqual([message]);
    expect(both({ covariateSumSquares: 3, covariateProduct: 6.1 }, {})).toEqual([message]);
    // A sum of squares that is too small is the only mistake.
    expect(both({ sumSquares: 11, covariateProduct: 80 }, {})).toEqual([
      'variations[0].sumSquares is too small for this n and sum (at least sum * sum / n)',
    ]);
    expect(both({ covariateSumSquares: 2, covariateProduct: 80 }, {})).toEqual([
      'variations[0].covariateSumSquares is too small for this n and sum (at least sum * sum / n)',
    ]);
  });

  it('are zero without visitors', () => {
    const none = {
      n: 0,
      sum: 0,
      sumSquares: 0,
      covariateSum: 0,
      covariateSumSquares: 0,
      covariateProduct: 0,
    };
    expect(both({}, none)).toEqual([]);
    expect(both({}, { ...none, covariateProduct: -1 })).toEqual([
      'variations[1].covariateProduct must be 0 when n is 0',
    ]);
  });
});

describe('the weights', () => {
  const weights = (given: unknown) => mistakes({ ...MEAN, weights: given });

  it('are an object or a list', () => {
    const message =
      'weights must be an object with a weight for each key, or a list in the order of the variations';
    for (const given of ['even', 3, null]) expect(weights(given)).toEqual([message]);
    expect(weights([1])).toEqual(['weights must have 2 weights, one for each variation']);
    expect(weights([1, 1, 1])).toEqual(['weights must have 2 weights, one for each variation']);
  });

  it('are numbers from 0, of which two are above 0', () => {
    expect(weights({ a: 1 })).toEqual(['weights.b is missing']);
    expect(weights({ a: 1, b: 1, c: 1 })).toEqual(['weights.c is an unknown field']);
    expect(weights([1, 'x'])).toEqual(['weights[1] must be a number']);
    expect(weights([1, -1])).toEqual(['weights[1] must be 0 or more']);
    expect(weights({ a: -1, b: 1 })).toEqual(['weights.a must be 0 or more']);
    expect(weights([0, 1])).toEqual(['weights must have a weight above 0 for at least two variations']);
    expect(weights([0.1, 0.1])).toEqual([]);
  });

  it('are not read without all keys', () => {
    expect(mistakes({ ...MEAN, variations: [a, { ...b, key: '' }], weights: 3 })).toEqual([
      'variations[1].key must be a non-empty string',
    ]);
    expect(mistakes({ ...MEAN, variations: [], weights: 3 })).toEqual([
      'variations must be a list of at least two variations',
    ]);
    expect(mistakes({ ...MEAN, variations: [a, null], weights: 3 })).toEqual([
      'variations[1] must be an object',
    ]);
  });

  it('by key do not come from a prototype', () => {
    const variations = [{ ...a, key: 'toString' }, b];
    expect(mistakes({ ...MEAN, control: 'b', variations, weights: { b: 1 } })).toEqual([
      'weights.toString is missing',
    ]);
  });
});
