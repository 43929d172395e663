import { describe, expect, it } from 'vitest';
import { plainArm } from '../testing/plain-arm.ts';
import { meanArm, proportionArm, ratioArm } from './arm.ts';
import { excludesZero, finiteComparison, isWithin, NO_COMPARISON } from './comparison.ts';
import { jointEstimate, requireSpread } from './joint-estimate.ts';
import { absoluteInterval, relativeInterval } from './mean-intervals.ts';
import { adjustPValues } from './multiple-testing.ts';
import { sampleRatio } from './sample-ratio.ts';
import { combineStrata } from './strata.ts';
import { centredProduct, centredSquares } from './sums.ts';

describe('an arm', () => {
  it('of values has their mean and unbiased variance', () => {
    expect(meanArm({ n: 3, sum: 6, sumSquares: 14 })).toEqual(plainArm(3, 2, 1));
    expect(meanArm({ n: 2, sum: 4, sumSquares: 10 })).toEqual(plainArm(2, 2, 2));
    expect(meanArm({ n: 1, sum: 4, sumSquares: 16 })).toEqual(plainArm(1, 4, null));
    expect(meanArm({ n: 0, sum: 0, sumSquares: 0 })).toEqual(plainArm(0, null, null));
  });

  it('of converted visitors has their rate', () => {
    expect(proportionArm({ n: 4, sum: 1 })).toEqual(plainArm(4, 0.25, 0.1875));
    expect(proportionArm({ n: 1, sum: 1 })).toEqual(plainArm(1, 1, 0));
    expect(proportionArm({ n: 0, sum: 0 })).toEqual(plainArm(0, null, null));
    // Late conversions may arrive before their visitors.
    expect(proportionArm({ n: 4, sum: 5 })).toEqual(plainArm(4, 1, 0));
    expect(proportionArm({ n: 4, sum: -1 })).toEqual(plainArm(4, 0, 0));
  });

  it('of ratios has the variance of what the ratio does not explain', () => {
    // Values 6, 0, 3, 0 of the denominators 1, 0, 1, 0: a ratio of 4.5, and rests of 1.5, 0, -1.5, 0.
    const sums = { n: 4, sum: 9, sumSquares: 45, denominatorSum: 2, denominatorSumSquares: 2, product: 9 };
    expect(ratioArm(sums)).toEqual(plainArm(4, 4.5, 4.5 / 3 / 0.25));
    const two = { ...sums, n: 2, sum: 9, sumSquares: 45, denominatorSum: 2, denominatorSumSquares: 2 };
    expect(ratioArm(two)).toEqual(plainArm(2, 4.5, 4.5));
    expect(ratioArm({ ...sums, n: 1 })).toEqual(plainArm(1, 4.5, null));
    expect(ratioArm({ ...sums, n: 0 })).toEqual(plainArm(0, null, null));
    expect(ratioArm({ ...sums, denominatorSum: 0 })).toEqual(plainArm(4, null, null));
    // Everybody has the same ratio: only rounding errors would be left.
    const same = [0.1, 0.3, 0.7].map((value) => [3.3 * value, value] as const);
    const total = (of: (it: readonly [number, number]) => number) =>
      same.reduce((sum, it) => sum + of(it), 0);
    const exact = ratioArm({
      n: 3,
      sum: total(([a]) => a),
      sumSquares: total(([a]) => a * a),
      denominatorSum: total(([, b]) => b),
      denominatorSumSquares: total(([, b]) => b * b),
      product: total(([a, b]) => a * b),
    });
    expect(exact.mean).toBeCloseTo(3.3, 12);
    expect(exact.variance).toBe(0);
  });
});

describe('strata', () => {
  const strata = [
    [meanArm({ n: 40, sum: 80, sumSquares: 200 }), meanArm({ n: 60, sum: 150, sumSquares: 450 })],
    [meanArm({ n: 60, sum: 30, sumSquares: 40 }), meanArm({ n: 40, sum: 24, sumSquares: 30 })],
  ];
  const observed = [
    meanArm({ n: 100, sum: 110, sumSquares: 240 }),
    meanArm({ n: 100, sum: 174, sumSquares: 480 }),
  ];

  it('are weighted by their share of all visitors', () => {
    const [control, b] = combineStrata(strata, observed);
    // Both have half of the visitors: the mean of 2 and 0.5, and of 2.5 and 0.6.
    expect(control).toMatchObject({
      n: 100,
      mean: 1.1,
      baseMean: 1.25,
      adjustedMean: 1.25,
      isAdjusted: true,
    });
    expect(b).toMatchObject({ n: 100, mean: 1.74, baseMean: 1.55, adjustedMean: 1.55 });
    // Computed in Python: the variance of the weighted mean, times all visitors.
    for (const member of ['variance', 'rawVariance', 'rawCovariance'] as const) {
      expect(control![member]).toBeCloseTo(0.817_579_313_342_025, 12);
      expect(b![member]).toBeCloseTo(0.779_661_016_949_152, 12);
    }
  });

  it('are weighted by all arms together', () => {
    const three = [
      [plainArm(10, 1, 1), plainArm(20, 1, 1)],
      [plainArm(50, 4, 1), plainArm(40, 4, 1)],
    ];
    expect(combineStrata(three, observed)[0]!.baseMean).toBeCloseTo(1 * 0.25 + 4 * 0.75, 12);
  });

  it('are not combined if there is only one, or none', () => {
    expect(combineStrata(strata.slice(0, 1), observed)).toBe(strata[0]);
    expect(combineStrata([], observed)).toBe(observed);
  });

  it('with an unknown figure make it unknown', () => {
    const [arm] = combineStrata([[plainArm(1, 3, null), plainArm(9, 1, 1)], strata[0]!], observed);
    expect(arm).toMatchObject({ baseMean: expect.any(Number), variance: null, rawVariance: null });
  });
});

describe('two arms', () => {
  const [a, b] = [plainArm(10, 2, 5), plainArm(20, 3, 8)];

  it('have a difference with its variance and degrees of freedom', () => {
    expect(jointEstimate(a, b)).toEqual({
      difference: 1,
      controlMean: 2,
      variance: expect.closeTo(0.9, 12),
      controlVariance: 0.5,
      covariance: -0.5,
      degreesOfFreedom: expect.closeTo(0.81 / (0.25 / 9 + 0.16 / 19), 9),
    });
    expect(jointEstimate(plainArm(10, 2, 0), b)!.degreesOfFreedom).toBeCloseTo(19, 9);
    expect(jointEstimate(a, plainArm(20, 3, 0))!.degreesOfFreedom).toBeCloseTo(9, 9);
    // A single visitor without a spread has no degrees of freedom to give.
    expect(jointEstimate(plainArm(1, 2, 0), b)!.degreesOfFreedom).toBeCloseTo(19, 9);
  });

  it('have no variance if that of one is unknown, or both are zero', () => {
    const unknown = { variance: null, degreesOfFreedom: null };
    expect(jointEstimate(plainArm(1, 2, null), b)).toMatchObject({
      ...unknown,
      controlVariance: 0,
      difference: 1,
    });
    expect(jointEstimate(a, plainArm(1, 3, null))).toMatchObject(unknown);
    expect(jointEstimate(plainArm(9, 2, 0), plainArm(9, 3, 0))).toMatchObject(unknown);
  });

  it('have no estimate without a mean', () => {
    expect(jointEstimate(plainArm(0, null, null), b)).toBeNull();
    expect(jointEstimate(a, plainArm(0, null, null))).toBeNull();
    expect(jointEstimate({ ...a, adjustedMean: null }, b)).toBeNull();
    expect(jointEstimate({ ...a, baseMean: null }, b)).toBeNull();
  });

  it('need a spread of both for the normal approximation', () => {
    const joint = jointEstimate(a, b)!;
    expect(requireSpread(joint, a, b)).toBe(joint);
    for (const arms of [
      [plainArm(9, 2, 0), b],
      [a, plainArm(9, 2, 0)],
      [a, plainArm(1, 2, null)],
    ] as const) {
      expect(requireSpread(joint, arms[0], arms[1])).toMatchObject({
        variance: null,
        degreesOfFreedom: null,
      });
    }
  });
});

describe('intervals of means', () => {
  const joint = (more: object = {}) => ({
    difference: 1,
    controlMean: 2,
    variance: 0.25,
    controlVariance: 0.01,
    covariance: -0.01,
    degreesOfFreedom: null,
    ...more,
  });

  it('are a multiple of the standard error', () => {
    expect(absoluteInterval(joint(), 2)).toEqual({ estimate: 1, low: 0, high: 2 });
    for (const [variance, critical] of [
      [null, 2],
      [0.25, null],
      [0.25, Infinity],
    ] as const) {
      expect(absoluteInterval(joint({ variance }), critical)).toEqual({ estimate: 1, low: null, high: null });
      expect(relativeInterval(joint({ variance }), critical, null)).toEqual({
        estimate: 0.5,
        low: null,
        high: null,
      });
    }
  });

  it('of the ratio are the roots of a quadratic equation, in every order of signs', () => {
    for (const difference of [1, -1, 0]) {
      for (const controlMean of [2, -2]) {
        const given = joint({ difference, controlMean });
        const { estimate, low, high } = relativeInterval(given, 2, null)!;
        expect(estimate).toBe(difference / controlMean);
        expect(low).toBeLessThan(high!);
        for (const ratio of [low!, high!]) {
          // The difference from ratio · mean is exactly two standard errors.
          const variance = 0.25 + 2 * ratio * 0.01 + ratio * ratio * 0.01;
          expect((difference - ratio * controlMean) ** 2).toBeCloseTo(4 * variance, 10);
        }
      }
    }
  });

  it('of the ratio are unknown relative to zero, and cut at the minimum', () => {
    expect(relativeInterval(joint({ controlMean: 0 }), 2, null)).toBeNull();
    const falling = joint({ difference: -1.9, controlMean: 2 });
    const { low } = relativeInterval(falling, 2, null)!;
    expect(low).toBeLessThan(-1);
    expect(relativeInterval(falling, 2, -1)!.low).toBe(-1);
    // An adjusted estimate below the minimum is not cut, one at the minimum is.
    expect(relativeInterval(joint({ difference: -2.1 }), 2, -1)!.low).toBeLessThan(-1.05);
    expect(relativeInterval(joint({ difference: -2 }), 2, -1)!.low).toBe(-1);
  });
});

describe('an interval', () => {
  const interval = (low: number | null, high: number | null) => ({ estimate: 0, low, high });

  it('is within a bound if both of its ends are', () => {
    expect(isWithin(interval(-1, 1), 1.01)).toBe(true);
    expect(isWithin(interval(-1, 0.5), 1)).toBe(false);
    expect(isWithin(interval(-0.5, 1), 1)).toBe(false);
    expect(isWithin(interval(null, 0), 1)).toBe(false);
    expect(isWithin(interval(0, null), 1)).toBe(false);
    expect(isWithin(null, 1)).toBe(false);
  });

  it('excludes zero if one of its ends does', () => {
    expect(excludesZero(interval(0.1, null))).toBe(true);
    expect(excludesZero(interval(null, -0.1))).toBe(true);
    expect(excludesZero(interval(0, 1))).toBe(false);
    expect(excludesZero(interval(-1, 0))).toBe(false);
    expect(excludesZero(interval(null, null))).toBe(false);
    expect(excludesZero(null)).toBe(false);
  });
});

it('figures that are not finite are unknown', () => {
  const wrong = { estimate: 1, low: Number.NaN, high: Infinity };
  expect(
    finiteComparison({
      absolute: wrong,
      relative: { ...wrong, estimate: Number.NaN },
      standardError: Infinity,
      pValue: Number.NaN,
      chanceToBeat: Number.NaN,
      expectedLoss: Infinity,
    }),
  ).toEqual({ ...NO_COMPARISON, absolute: { estimate: 1, low: null, high: null } });
  const fine = {
    absolute: { estimate: 0, low: -1, high: 2 },
    relative: { estimate: 0, low: null, high: 0 },
    standardError: 1,
    pValue: 0,
    chanceToBeat: 0.5,
    expectedLoss: 3,
  };
  expect(finiteComparison(fine)).toEqual(fine);
  expect(finiteComparison(NO_COMPARISON)).toEqual(NO_COMPARISON);
});

it('p-values that are not there are not corrected for', () => {
  expect(adjustPValues([null, 0.01, 0.04], 'holm')).toEqual([null, 0.02, 0.04]);
  expect(adjustPValues([0.01, null, 0.04], 'benjamini-hochberg')).toEqual([0.02, null, 0.04]);
  expect(adjustPValues([0.04, null, 0.01], 'none')).toEqual([0.04, null, 0.01]);
  expect(adjustPValues([null], 'holm')).toEqual([null]);
});

describe('the check of a split', () => {
  it('does not depend on the scale of the weights', () => {
    const { pValue } = sampleRatio([5000, 5500], [1, 1])!;
    for (const weight of [1e-300, 1e300]) {
      expect(sampleRatio([5000, 5500], [weight, weight])!.pValue).toBeCloseTo(pValue, 12);
    }
  });

  it('needs two variations with a weight, and visitors', () => {
    expect(sampleRatio([5, 5], [1, 0])).toBeNull();
    expect(sampleRatio([0, 0], [1, 1])).toBeNull();
    expect(sampleRatio([50, 50, 0], [1, 1, 0])!.pValue).toBe(1);
    expect(sampleRatio([50, 50, 1], [1, 1, 0])!.pValue).toBe(0);
  });

  it('is exact for millions of visitors', () => {
    expect(sampleRatio([5e6, 6e6], [1, 1])!.pValue).toBe(0);
    expect(sampleRatio([5e6, 5.001e6], [1, 1])!.pValue).toBe(1);
  });
});

describe('sums around the mean', () => {
  it('are exact although their products have more digits than a number', () => {
    const values = Array.from({ length: 1001 }, (_, i) => 2_000_000 + ((i * 7) % 5));
    const sum = values.reduce((total, it) => total + it, 0);
    const squares = values.reduce((total, it) => total + it * it, 0);
    const exact = BigInt(1001) * BigInt(squares) - BigInt(sum) ** 2n;
    expect(centredSquares(1001, sum, squares)).toBeCloseTo(Number(exact) / 1001, 9);
    expect(centredSquares(1001, sum / 2 ** 40, squares / 2 ** 80) * 2 ** 80).toBeCloseTo(
      Number(exact) / 1001,
      9,
    );
  });

  it('do not overflow', () => {
    expect(centredProduct(1e10, 1e155, 1e155, 1e301) / 1e300).toBeCloseTo(9, 12);
    expect(centredProduct(4, 1e300, 1e-300, 2) / 1.75).toBeCloseTo(1, 12);
  });

  it('are zero if only a rounding error is left', () => {
    expect(centredSquares(3, 0.1 + 0.1 + 0.1, 3 * 0.1 * 0.1)).toBe(0);
    expect(centredSquares(3, 0.3, 0.03 + 3e-16)).toBeGreaterThan(0);
    expect(centredProduct(3, 0.3, -0.3, -0.03 - 3e-16)).toBeLessThan(0);
    expect(centredSquares(3, 0.3, 0.02)).toBe(0);
    expect(centredProduct(3, 0.3, 0.3, 0.02)).toBeCloseTo(-0.01, 12);
  });
});
