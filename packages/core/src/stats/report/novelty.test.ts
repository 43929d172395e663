import { describe, expect, it } from 'vitest';
import { plainArm } from '../../testing/plain-arm.ts';
import type { Arm } from '../arm.ts';
import { type FinishedEffect, learnPrior } from './learned-prior.ts';
import { noveltyOf } from './novelty.ts';

const pair = (control: Arm, variation: Arm) => ({ control, variation });

// Expected values come from Python.
describe('a change of the effect over time', () => {
  const early = pair(plainArm(1000, 0.1, 0.09), plainArm(1000, 0.15, 0.1275));
  const late = pair(plainArm(2000, 0.1, 0.09), plainArm(2000, 0.11, 0.0979));

  it('is that of ratios, on the scale of logarithms', () => {
    expect(noveltyOf(early, late)).toEqual({
      early: expect.closeTo(0.5, 12),
      late: expect.closeTo(0.1, 12),
      unit: 'relative',
      pValue: expect.closeTo(0.041_776_959_310_215, 12),
    });
    expect(noveltyOf(late, early)).toMatchObject({
      early: expect.closeTo(0.1, 12),
      pValue: expect.closeTo(0.041_776_959_310_215, 12),
    });
  });

  it('is that of differences if a mean is not positive', () => {
    const first = pair(plainArm(100, 0, 1), plainArm(200, 0.5, 2));
    const later = pair(plainArm(300, 1, 3), plainArm(100, 1.1, 4));
    expect(noveltyOf(first, later)).toEqual({
      early: expect.closeTo(0.5, 12),
      late: expect.closeTo(0.1, 12),
      unit: 'absolute',
      pValue: expect.closeTo(0.130_570_018_115_736, 12),
    });
    for (const given of [
      pair(plainArm(100, 1, 1), plainArm(200, 0, 2)),
      pair(plainArm(100, 1, 1), plainArm(200, -1, 2)),
    ]) {
      expect(noveltyOf(given, later)!.unit).toBe('absolute');
      expect(noveltyOf(later, given)!.unit).toBe('absolute');
    }
  });

  it('is unknown without means or without a spread in each arm', () => {
    const fine = plainArm(100, 1, 1);
    for (const missing of [plainArm(0, null, null), plainArm(1, 1, null), plainArm(100, 1, 0)]) {
      for (const given of [pair(missing, fine), pair(fine, missing)]) {
        expect(noveltyOf(given, late)).toBeNull();
        expect(noveltyOf(late, given)).toBeNull();
      }
    }
  });
});

describe('a prior that is learned', () => {
  const EFFECTS: readonly (readonly [number, number])[] = [
    [0.05, 0.02],
    [-0.02, 0.01],
    [0.1, 0.03],
    [0, 0.02],
    [0.03, 0.01],
    [-0.07, 0.04],
    [0.01, 0.02],
    [0.04, 0.02],
    [0.02, 0.01],
  ];
  const tests = (factor = 1): FinishedEffect[][] =>
    EFFECTS.map(([estimate, standardError]) => [{ estimate: factor * estimate, standardError }]);

  it('has the standard deviation of the true effects', () => {
    expect(learnPrior(tests())).toEqual({ mean: 0, sd: expect.closeTo(0.043_120_772_043_727, 12), tests: 9 });
    // Large effects are less plausible than they look.
    expect(learnPrior(tests(10))!.sd).toBeCloseTo(0.336_468_521_692_946, 12);
  });

  it('leaves out effects without an error or an estimate', () => {
    const wrong = [
      { estimate: 9, standardError: 0 },
      { estimate: 9, standardError: Infinity },
      { estimate: 9, standardError: Number.NaN },
      { estimate: Number.NaN, standardError: 1 },
    ];
    expect(learnPrior([...tests(), wrong, []])).toEqual(learnPrior(tests()));
    expect(learnPrior(tests().map((effects) => [...wrong, ...effects]))).toEqual(learnPrior(tests()));
    expect(learnPrior([...tests().slice(2), wrong])).toBeUndefined();
  });
});
