import { describe, expect, it } from 'vitest';
import { goalOf } from '../../testing/report-cases.ts';
import { NO_COMPARISON } from '../comparison.ts';
import type { GoalComparison } from './goal-comparison.ts';
import type { MetricName } from './report-metrics.ts';
import { differingSegments } from './segment-effects.ts';

interface Arm {
  readonly n: number;
  readonly mean: number | null;
  /** Relative and absolute effect, and the standard error of the latter. */
  readonly relative?: number | null;
  readonly absolute?: number;
  readonly error?: number | null;
}

const only = (estimate: number) => ({ estimate, low: null, high: null });

/** A comparison of the control with variations "b", "c". */
const segment = (arms: readonly Arm[], metric: MetricName = 'conversion-rate'): GoalComparison => ({
  goal: goalOf('signup'),
  metrics: [
    { metric: 'conversions-per-visitor', decides: false, variations: [] },
    {
      metric,
      decides: true,
      variations: arms.map(({ n, mean, relative = null, absolute, error = null }, index) => ({
        ...NO_COMPARISON,
        key: ['control', 'b', 'c'][index]!,
        n,
        mean,
        relative: relative === null ? null : only(relative),
        absolute: absolute === undefined ? null : only(absolute),
        standardError: error,
        adjustedPValue: null,
      })),
    },
  ],
});

const pair = (n: number, mean: number, relative: number, error: number) =>
  segment([
    { n, mean },
    { n, mean: mean * (1 + relative), relative, absolute: mean * relative, error },
  ]);

const SEGMENTS = [pair(1000, 0.1, 0.5, 0.006), pair(2000, 0.1, 0, 0.005), pair(1500, 0.2, 0.1, 0.008)];

// The expected p-values come from the closed form of the always-valid test in Python.
describe('segments that differ from the rest', () => {
  it('are compared with the mean of the others by its precision, on the scale of logarithms', () => {
    const found = differingSegments(SEGMENTS, 0.05);
    expect(found).toEqual([
      {
        segment: 0,
        variation: 'b',
        unit: 'relative',
        effect: expect.closeTo(0.5, 12),
        effectElsewhere: expect.closeTo(0.064_322_034_887_346, 12),
        pValue: expect.any(Number),
      },
      {
        segment: 1,
        variation: 'b',
        unit: 'relative',
        effect: expect.closeTo(0, 12),
        effectElsewhere: expect.closeTo(0.265_733_475_050_544, 12),
        pValue: expect.any(Number),
      },
      expect.objectContaining({ segment: 2, effect: expect.closeTo(0.1, 12) }),
    ]);
    // By Holm: times three, two and one.
    expect(found[0]!.pValue / (3 * 2.647_118_344_94e-8)).toBeCloseTo(1, 9);
    expect(found[1]!.pValue / (2 * 0.001_591_457_941_21)).toBeCloseTo(1, 9);
    expect(found[2]!.pValue).toBeCloseTo(0.037_820_635_938_885, 12);
  });

  it('are those whose p-value is below alpha, the smallest first', () => {
    expect(differingSegments(SEGMENTS, 0.01).map(({ segment }) => segment)).toEqual([0, 1]);
    expect(differingSegments(SEGMENTS.toReversed(), 0.01).map(({ segment }) => segment)).toEqual([2, 1]);
    const { pValue } = differingSegments(SEGMENTS, 0.05)[2]!;
    expect(differingSegments(SEGMENTS, pValue)).toHaveLength(2);
  });

  it('keep their index if others have no comparison', () => {
    const found = differingSegments([undefined, SEGMENTS[0], undefined, SEGMENTS[1]], 0.05);
    expect(found.map(({ segment }) => segment).toSorted()).toEqual([1, 3]);
  });

  it('are none with a single one', () => {
    expect(differingSegments([SEGMENTS[0]], 0.05)).toEqual([]);
    expect(differingSegments([], 0.05)).toEqual([]);
  });

  it('are compared for each variation on its own', () => {
    const three = (b: number, c: number) =>
      segment([
        { n: 1000, mean: 0.1 },
        { n: 1000, mean: 0.1 + b, relative: 10 * b, absolute: b, error: 0.006 },
        { n: 1000, mean: 0.1 + c, relative: 10 * c, absolute: c, error: 0.006 },
      ]);
    const found = differingSegments([three(0.06, 0.03), three(0, 0.03)], 0.05);
    expect(found.map(({ segment, variation }) => [segment, variation])).toEqual([
      [0, 'b'],
      [1, 'b'],
    ]);
  });
});

describe('without a positive control', () => {
  const absolute = (n: number, difference: number, error: number) =>
    segment(
      [
        { n, mean: -1 },
        { n, mean: difference - 1, relative: -difference, absolute: difference, error },
      ],
      'revenue-per-visitor',
    );

  it('differences are compared', () => {
    const found = differingSegments([absolute(1000, 0.5, 0.04), absolute(500, 0.1, 0.05)], 0.05);
    expect(found).toMatchObject([
      { segment: 0, unit: 'absolute', effect: 0.5, effectElsewhere: expect.closeTo(0.1, 12) },
      { segment: 1, unit: 'absolute', effect: 0.1, effectElsewhere: expect.closeTo(0.5, 12) },
    ]);
    expect(found[0]!.pValue / (2 * 7.349_082_149_586e-7)).toBeCloseTo(1, 9);
    expect(found[1]!.pValue / 1.017_912_212_094e-5).toBeCloseTo(1, 9);
  });

  it('in all other segments, differences are compared', () => {
    const relative = segment(
      [
        { n: 1000, mean: 2 },
        { n: 1000, mean: 3, relative: 0.5, absolute: 1, error: 0.04 },
      ],
      'revenue-per-visitor',
    );
    expect(differingSegments([relative, absolute(500, 0.1, 0.05)], 0.05)).toMatchObject([
      { segment: 0, unit: 'absolute', effect: 1, effectElsewhere: expect.closeTo(0.1, 12) },
      { segment: 1, unit: 'absolute', effect: 0.1, effectElsewhere: expect.closeTo(1, 12) },
    ]);
  });

  it('or if nothing is left, differences are compared', () => {
    const gone = segment([
      { n: 1000, mean: 0.3 },
      { n: 1000, mean: 0.1, relative: -1, absolute: -0.3, error: 0.01 },
    ]);
    const found = differingSegments([gone, SEGMENTS[0]], 0.05);
    expect(found.map(({ segment, unit }) => [segment, unit])).toEqual([
      [0, 'absolute'],
      [1, 'absolute'],
    ]);
    expect(found[0]).toMatchObject({ effect: -0.3, effectElsewhere: expect.closeTo(0.05, 12) });
  });
});

describe('too little data', () => {
  const found = (first: GoalComparison) => differingSegments([first, SEGMENTS[1], SEGMENTS[1]], 0.05).length;
  const rates = (n: number, mean: number, otherN: number, otherMean: number) =>
    segment([
      { n, mean },
      { n: otherN, mean: otherMean, relative: 9, absolute: 0.5, error: 0.005 },
    ]);

  it('are fewer than 100 visitors of a variation or the control', () => {
    expect(found(rates(100, 0.5, 100, 0.5))).toBeGreaterThan(0);
    expect(found(rates(99, 0.5, 100, 0.5))).toBe(0);
    expect(found(rates(100, 0.5, 99, 0.5))).toBe(0);
  });

  it('are fewer than 25 conversions of a variation or the control', () => {
    expect(found(rates(500, 0.05, 500, 0.05))).toBeGreaterThan(0);
    expect(found(rates(500, 0.049, 500, 0.05))).toBe(0);
    expect(found(rates(500, 0.05, 500, 0.049))).toBe(0);
  });

  it('may be small amounts of revenue', () => {
    const revenue = (first: number) =>
      segment(
        [
          { n: 500, mean: first },
          { n: 500, mean: 0.001, relative: 9, absolute: 0.5, error: 0.005 },
        ],
        'revenue-per-visitor',
      );
    expect(found(revenue(0.001))).toBeGreaterThan(0);
  });

  it('are an unknown mean or an unknown error', () => {
    const unknown = (more: Partial<Arm>) =>
      segment([
        { n: 500, mean: 0.5 },
        { n: 500, mean: 0.7, relative: 0.4, absolute: 0.2, error: 0.005, ...more },
      ]);
    expect(found(unknown({}))).toBeGreaterThan(0);
    expect(found(unknown({ mean: null }))).toBe(0);
    expect(found(unknown({ error: null }))).toBe(0);
    expect(found(unknown({ error: 0 }))).toBe(0);
  });
});
