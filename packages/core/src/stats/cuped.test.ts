import { describe, expect, it } from 'vitest';
import { analyse } from './analysis.ts';
import { cupedArm, haveCovariates, regress, type SumsWithCovariates } from './cuped.ts';

/** A value and its covariates. */
type Visitor = readonly [value: number, ...covariates: number[]];

function sumsOf(visitors: readonly Visitor[]): SumsWithCovariates {
  const total = (of: (visitor: Visitor) => number) => visitors.reduce((sum, it) => sum + of(it), 0);
  const indexes = (visitors[0] ?? []).slice(1).map((_, index) => index + 1);
  return {
    n: visitors.length,
    sum: total(([value]) => value),
    sumSquares: total(([value]) => value * value),
    covariates: {
      sums: indexes.map((i) => total((it) => it[i]!)),
      products: indexes.map((i) => indexes.map((j) => total((it) => it[i]! * it[j]!))),
      shared: indexes.map((i) => total((it) => it[i]! * it[0])),
    },
  };
}

/** All 16 combinations of four independent factors, 0 or 1. */
const FACTORS = Array.from({ length: 16 }, (_, index) =>
  [1, 2, 4, 8].map((bit) => ((index & bit) > 0 ? 1 : 0)),
);

const visitors = (of: (a: number, b: number, c: number, d: number) => Visitor) =>
  FACTORS.map(([a, b, c, d]) => of(a!, b!, c!, d!));

const close = (numbers: readonly number[]) => numbers.map((it) => expect.closeTo(it, 12));

describe('the coefficients of covariates', () => {
  const coefficients = (of: Parameters<typeof visitors>[0]) =>
    regress([[sumsOf(visitors(of)), sumsOf(visitors(of))]]);

  it('are those of a regression', () => {
    expect(coefficients((a, b) => [3 * a + b, a])).toEqual(close([3]));
    // Covariates that are correlated with each other, with noise that is not correlated with any.
    expect(coefficients((a, b, c, d) => [2 * a + 3 * (a + b) - 4 * (b + c) + d, a, a + b, b + c])).toEqual(
      close([2, 3, -4]),
    );
  });

  it('are zero for a further covariate that explains less than half a percent of the variance', () => {
    // Of the variance, 0.21² / (3² + 0.21²) = 0.49 %, and 0.215² / (3² + 0.215²) = 0.51 %.
    expect(coefficients((a, b) => [3 * a + 0.21 * b, a, b])).toEqual(close([3, 0]));
    expect(coefficients((a, b) => [3 * a + 0.215 * b, a, b])).toEqual(close([3, 0.215]));
    expect(coefficients((a, b, c) => [3 * a + 0.21 * b + c, a, b, c])).toEqual(close([3, 0, 1]));
  });

  it('are never zero for the first one only because it explains little', () => {
    expect(coefficients((a, b) => [0.01 * a + 3 * b, a, b])).toEqual(close([0.01, 3]));
  });

  it('are zero for constant covariates, and for combinations of others', () => {
    expect(coefficients((a, b) => [3 * a + b, 7, a])).toEqual(close([0, 3]));
    expect(coefficients((a, b) => [3 * a + b, a, 2 * a])).toEqual(close([3, 0]));
    expect(coefficients((a) => [3 * a, 7])).toEqual([0]);
  });

  it('are those within strata', () => {
    const stratum = (offset: number) => [
      sumsOf(visitors((a, b) => [3 * a + b + 100 * offset, a - 10 * offset])),
      sumsOf(visitors((a, b) => [3 * a + b + 100 * offset, a - 10 * offset])),
    ];
    expect(regress([stratum(0), stratum(1), stratum(5)])).toEqual(close([3]));
    const [first, second] = [stratum(0), stratum(1)];
    expect(regress([[...first, ...second]])[0]).toBeLessThan(0);
  });

  it('include differences between the arms', () => {
    // Everybody in the second arm has 2 more of the covariate, and 6 more of the value.
    const [one, other] = [0, 2].map((more) => sumsOf(visitors((a, b) => [3 * (a + more) + b, a + more])));
    expect(regress([[one!, other!]])).toEqual(close([3]));
  });

  it('do not need visitors of all arms', () => {
    const none = { ...sumsOf([]), covariates: { sums: [0], products: [[0]], shared: [0] } };
    const some = sumsOf(visitors((a, b) => [3 * a + b, a]));
    expect(
      regress([
        [none, some],
        [none, none],
      ]),
    ).toEqual(close([3]));
    expect(regress([[none, none]])).toEqual([]);
    expect(regress([])).toEqual([]);
  });
});

describe('an arm with covariates', () => {
  const noisy = visitors((a, b, _c, d) => [2 * a + 3 * (a + b) + d, a, a + b]);
  const sums = sumsOf(noisy);

  it('has the mean and variance of what they do not explain', () => {
    const arm = cupedArm('mean', sums, [2, 3]);
    // What is left is d, of which half are 1: 4 is the sum of its squares around the mean.
    expect(arm).toMatchObject({
      n: 16,
      mean: 4.5,
      baseMean: 4.5,
      adjustedMean: expect.closeTo(0.5, 12),
      variance: expect.closeTo(4 / 15, 12),
      isAdjusted: true,
    });
    // The value is 5a + 3b + d, so its variance is 35 times that of d, and its covariance with d that of d.
    expect(arm.rawVariance).toBeCloseTo((35 * 4) / 15, 12);
    expect(arm.rawCovariance).toBeCloseTo(4 / 15, 12);
  });

  it('divides by the visitors if it is a rate', () => {
    const rate = sumsOf(visitors((a, b) => [a * b, a]));
    const arm = cupedArm('proportion', rate, [0.5]);
    // What is left is ab - a/2: 0, -1/2 or 1/2 around a mean of 0.
    expect(arm).toMatchObject({ mean: 0.25, adjustedMean: expect.closeTo(0, 12) });
    expect(arm.variance).toBeCloseTo(1 / 8, 12);
    expect(arm.rawVariance).toBeCloseTo(3 / 16, 12);
    expect(arm.rawCovariance).toBeCloseTo(1 / 8, 12);
  });

  it('is not adjusted without any coefficient', () => {
    const plain = cupedArm('mean', sums, [0, 0]);
    expect(plain.isAdjusted).toBe(false);
    expect(plain.variance).toBe(plain.rawVariance);
    expect(plain.adjustedMean).toBe(4.5);
    expect(cupedArm('mean', sums, [0, 3]).isAdjusted).toBe(true);
  });

  it('has no variance if the covariates explain everything', () => {
    const exact = sumsOf(visitors((a, b, c) => [0.1 * a + 0.7 * b + 0.3 * c, a, b, c]));
    expect(cupedArm('mean', exact, [0.1, 0.7, 0.3]).variance).toBe(0);
  });

  it('has no mean without visitors, and no variance with one', () => {
    const of = (all: readonly Visitor[]) =>
      cupedArm('mean', { ...sumsOf(all), covariates: { sums: [2], products: [[4]], shared: [6] } }, [0.5]);
    expect(of([])).toMatchObject({ mean: null, adjustedMean: null, isAdjusted: false });
    expect(of([[3, 2]])).toMatchObject({ mean: 3, adjustedMean: 2, variance: null, rawCovariance: null });
  });
});

describe('a comparison with covariates', () => {
  it('has the effect without the difference between the groups, and the error of what is left', () => {
    const control = visitors((a, _b, _c, d) => [5 * a + d, a]);
    // Twice as many visitors with the covariate, and no effect.
    const variation = [...control, ...visitors((_a, _b, _c, d) => [5 + d, 1])];
    const variations = [control, variation].map((all, index) => ({ key: `v${index}`, ...sumsOf(all) }));
    const given = { method: 'frequentist', metric: 'mean', control: 'v0', variations } as const;
    const { absolute, standardError } = analyse(given).variations[1]!;
    expect(absolute!.estimate).toBeCloseTo(0, 12);
    expect(standardError).toBeCloseTo(Math.sqrt(4 / 15 / 16 + 8 / 31 / 32), 12);
  });

  it('needs covariates of all variations in all strata', () => {
    const with_ = sumsOf(visitors((a, b) => [3 * a + b, a]));
    const { covariates: _, ...without } = with_;
    expect(haveCovariates([with_, with_])).toBe(true);
    expect(haveCovariates([with_, without])).toBe(false);
    const errorOf = (strata: readonly (readonly (typeof without)[])[]) => {
      const variations = ['a', 'b'].map((key) => ({ key, ...with_, n: 32, sum: 64, sumSquares: 176 }));
      return analyse({ method: 'frequentist', metric: 'mean', control: 'a', variations, strata })
        .variations[1]!.standardError;
    };
    const both = [with_, with_];
    expect(errorOf([both, [with_, without]])).toBe(
      errorOf([
        [without, without],
        [without, without],
      ]),
    );
    expect(errorOf([both, both])).toBeLessThan(0.5 * errorOf([both, [with_, without]])!);
  });
});
