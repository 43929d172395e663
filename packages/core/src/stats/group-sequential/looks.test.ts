import { describe, expect, it } from 'vitest';
import { Boundaries, boundariesOf } from './boundaries.ts';
import { compareAtLook, distinctLooks, FINAL_LOOK, fractionOf, looksAt } from './compare.ts';
import { futilityBoundary } from './futility.ts';
import { gaussLegendre } from './gauss-legendre.ts';
import { MonitoredProcess } from './monitored-process.ts';
import { monitoredCritical, monitoredPValue } from './monitoring.ts';
import { spentAlpha } from './spending.ts';

// Expected values come from SciPy, by the definitions.

const MONITORED: readonly [number, readonly number[], readonly number[]][] = [
  [1e-6, [4.984_752_100_671, 5.369_639_497_763], [1, 0.005_642_608_938_781, 2.903_701_872_532e-6]],
  [1e-4, [4.765_503_213_734, 5.099_562_393_524], [1, 0.001_258_232_075_882, 1.327_199_720_218e-7]],
  [0.003, [4.764_436_768_617, 5.116_072_701_039], [1, 0.001_513_660_102_315, 1.564_725_921_208e-7]],
  [0.02, [4.808_438_392_089, 5.137_383_604_465], [1, 0.001_486_805_980_931, 1.408_132_941_198e-7]],
  [
    0.2,
    [4.809_939_139_351, 5.137_383_604_465],
    [0.532_429_247_036, 0.001_486_805_980_931, 1.408_132_941_198e-7],
  ],
  [
    0.31,
    [4.032_646_492_556, 5.047_393_391_072],
    [0.331_192_398_95, 0.001_734_998_984_081, 1.580_597_582_829e-7],
  ],
  [
    1,
    [2.245_282_542_914, 2.810_269_704_799],
    [0.025_089_556_871_8, 7.672_550_491_268e-8, 5.170_959_773_276e-12],
  ],
  [
    3,
    [2.245_282_542_914, 2.810_269_704_799],
    [0.025_089_556_871_8, 7.672_550_491_268e-8, 5.170_959_773_276e-12],
  ],
];

const PROCESS: readonly [number, number, number][] = [
  [0, 0.028_459_736_916_3, 0.029_927_065_188_4],
  [1.5, 0.086_747_397_995_7, 0.216_468_140_980_1],
  [-2.5, 0.205_842_184_495_5, 0.468_708_435_212_3],
];

describe('looks', () => {
  it('are shares of the plan, up to its end', () => {
    expect(looksAt([250, 500], 1000, 'pocock')).toEqual({
      fractions: [0.25, 0.5],
      current: 1,
      spending: 'pocock',
    });
    expect(looksAt([250, 1000, 1200, 1500], 1000, 'pocock')).toEqual({
      fractions: [0.25, 1],
      current: 1,
      spending: 'pocock',
    });
    expect(looksAt([1300], 1000, 'pocock').fractions).toEqual([1]);
  });

  it('differ by a thousandth, and the last one always counts', () => {
    const indexes = (visitors: readonly number[]) =>
      distinctLooks(visitors, 10_000).map(({ index }) => index);
    expect(indexes([0, 100, 2000, 4000])).toEqual([1, 2, 3]);
    expect(indexes([4990, 5000, 5004])).toEqual([0, 2]);
    expect(indexes([4995, 5000])).toEqual([0, 1]);
    expect(indexes([4996, 5000])).toEqual([1]);
    expect(indexes([])).toEqual([]);
    expect(indexes([4990, 10_000, 12_000])).toEqual([0, 1]);
  });

  it('have a fraction, of at most 1', () => {
    expect(fractionOf({ fraction: 0.4, spending: 'pocock' })).toBe(0.4);
    expect(fractionOf({ fraction: 1.4, spending: 'pocock' })).toBe(1);
    expect(fractionOf(looksAt([250, 500], 1000, 'pocock'))).toBe(0.5);
    expect(FINAL_LOOK).toEqual({ fractions: [1], current: 0, spending: 'obrien-fleming' });
  });

  it('compare with the boundary, and have a p-value on its side', () => {
    const of = (z: number | null, alpha = 0.05) =>
      compareAtLook(
        {
          visitors: 10,
          z,
          degreesOfFreedom: null,
          standardError: 2,
          intervals: (critical) => ({
            absolute: { estimate: 0, low: -critical!, high: critical! },
            relative: null,
          }),
        },
        alpha,
        FINAL_LOOK,
      );
    expect(of(3).absolute!.high).toBeCloseTo(1.959_963_985, 9);
    expect(of(3).standardError).toBe(2);
    expect(of(3).pValue).toBeCloseTo(0.002_699_796, 6);
    expect(of(-3).pValue).toBe(of(3).pValue);
    expect(of(null).pValue).toBeNull();
    expect(of(1.959_963_985).pValue! < 0.05).toBe(true);
    expect(of(1.959_963_984).pValue! >= 0.05).toBe(true);
  });
});

describe('the boundary that is monitored all the time', () => {
  it.each(MONITORED)('at %f of the plan', (fraction, criticals, pValues) => {
    const looks = { fraction, spending: 'obrien-fleming' } as const;
    expect(monitoredCritical(looks, 0.05)).toBeCloseTo(criticals[0]!, 9);
    expect(monitoredCritical(looks, 0.01)).toBeCloseTo(criticals[1]!, 9);
    for (const [index, z] of [2.5, -5.5, 7].entries()) {
      expect(monitoredPValue(looks, z) / pValues[index]!).toBeCloseTo(1, 8);
    }
  });

  it('of Pocock is raised between 50 looks', () => {
    const steps = Array.from({ length: 50 }, (_, index) => (index + 1) / 50);
    const boundaries = new Boundaries(steps, 'pocock').criticals(0.99 * 0.05);
    const at = (fraction: number) => monitoredCritical({ fraction, spending: 'pocock' }, 0.05);
    // In the steps 16, 4, 25 and 50.
    for (const [fraction, step] of [
      [0.31, 16],
      [0.08, 4],
      [0.5, 25],
      [0.98 + 1e-6, 50],
      [1, 50],
      [7, 50],
    ] as const) {
      expect(at(fraction)).toBeCloseTo(boundaries[step - 1]! + 0.5826 / Math.sqrt(step), 9);
    }
    // In the first one, it is constant for the process itself.
    expect(at(0.015)).toBeCloseTo(Math.sqrt(4 / 3) * (boundaries[0]! + 0.5826), 9);
    expect(at(0.02)).toBeCloseTo(boundaries[0]! + 0.5826, 9);
    const pValue = (z: number) => monitoredPValue({ fraction: 0.31, spending: 'pocock' }, z);
    expect(pValue(at(0.31))).toBeCloseTo(0.05, 5);
    expect([pValue(0), pValue(0.1)]).toEqual([1, 1]);
  });
});

it.each([
  [0.1, 0.007_928_253_937_021, 2.722_502_978_46e-12],
  [0.5, 0.031_005_725_347_914, 0.003_050_645_515_978],
  [0.9, 0.046_735_083_200_058, 0.036_289_992_759_623],
])('at %f of the plan, a part of alpha is spent', (fraction, pocock, late) => {
  expect(spentAlpha('pocock', 0.05, fraction)).toBeCloseTo(pocock, 12);
  expect(spentAlpha('obrien-fleming', 0.05, fraction)).toBeCloseTo(late, 12);
  for (const end of [1, 1.5]) expect(spentAlpha('obrien-fleming', 0.05, end)).toBe(0.05);
});

describe('the futility boundary', () => {
  it('has a conditional power of 10 %', () => {
    expect([0.8, 0.99].map((fraction) => futilityBoundary(fraction, 0.05))).toEqual(
      [0.924_077_069_423, 1.812_880_151_582].map((it) => expect.closeTo(it, 9)),
    );
    expect(futilityBoundary(0.8, 0.01)).toBeCloseTo(1.474_923_756_739, 9);
    expect(futilityBoundary(0.5, 0.05, 1)).toBeCloseTo(0.783_149_301_968, 9);
  });

  it('is zero as long as nothing is hopeless, and at the end', () => {
    expect(futilityBoundary(0.3, 0.05)).toBe(0);
    expect(futilityBoundary(0.5, 0.05)).toBe(0);
    expect(futilityBoundary(0.5, 0.05, 4)).toBe(0);
    expect([1, 2].map((fraction) => futilityBoundary(fraction, 0.05, 0))).toEqual([0, 0]);
  });
});

describe('a process that is monitored', () => {
  it.each(PROCESS)('with a drift of %f stops as often as its density says', (drift, first, second) => {
    const process = new MonitoredProcess(drift);
    expect(process.outside(0.3, 1.2).probability).toBeCloseTo(first, 10);
    expect(process.advance(0.3, 1.2, 1)).toBeCloseTo(first, 10);
    const { probability, slope } = process.outside(1, 2.1);
    expect(probability).toBeCloseTo(second, 10);
    const step = 1e-5;
    const change = process.outside(1, 2.1 + step).probability - process.outside(1, 2.1 - step).probability;
    expect(slope).toBeCloseTo(change / (2 * step), 6);
    expect(process.advance(1, 2.1)).toBeCloseTo(second, 10);
  });
});

describe('Gauss-Legendre quadrature', () => {
  it('has the roots of Legendre polynomials', () => {
    expect([...gaussLegendre(1).nodes, ...gaussLegendre(1).weights]).toEqual(
      [0, 2].map((it) => expect.closeTo(it, 12)),
    );
    expect([...gaussLegendre(2).nodes]).toEqual(
      [-1, 1].map((sign) => expect.closeTo(sign / Math.sqrt(3), 14)),
    );
    expect([...gaussLegendre(2).weights]).toEqual([1, 1].map((it) => expect.closeTo(it, 14)));
    expect([...gaussLegendre(3).nodes]).toEqual(
      [-1, 0, 1].map((sign) => expect.closeTo(sign * Math.sqrt(0.6), 14)),
    );
    expect([...gaussLegendre(3).weights]).toEqual([5, 8, 5].map((it) => expect.closeTo(it / 9, 14)));
  });

  it('is exact for polynomials', () => {
    for (const size of [5, 16, 200]) {
      const { nodes, weights } = gaussLegendre(size);
      const integral = (power: number) => nodes.reduce((sum, x, i) => sum + weights[i]! * x ** power, 0);
      expect([0, 4, 8, 9].map(integral)).toEqual([2, 2 / 5, 2 / 9, 0].map((it) => expect.closeTo(it, 12)));
    }
  });
});

it('the boundaries of the same looks are computed once', () => {
  const fractions = [0.3, 0.7];
  const first = boundariesOf(fractions, 'pocock');
  expect(boundariesOf(fractions, 'pocock')).toBe(first);
  expect(boundariesOf([0.3, 0.7], 'pocock')).toBe(first);
  expect(boundariesOf(fractions, 'obrien-fleming').spending).toBe('obrien-fleming');
  expect(boundariesOf(fractions, 'pocock').spending).toBe('pocock');
});
