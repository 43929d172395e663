import { describe, expect, it } from 'vitest';
import { type PlanInput, planGuardrail, planTest } from './planner.ts';

// Sizes that are computed in Python, from the same published formulas.
const RATE = { metric: 'proportion', rate: 0.1 } as const;
const MEAN = { metric: 'mean', mean: 10, variance: 625 } as const;
const RELATIVE = { kind: 'relative', value: 0.1 } as const;

const PLAN: PlanInput = { method: 'frequentist', baseline: RATE, smallestEffect: RELATIVE };

describe('visitors per variation', () => {
  const size = (change: Partial<PlanInput>) => planTest({ ...PLAN, ...change })!.visitorsPerVariation;

  it('pool the variances of rates without the effect, except for the Bayesian method', () => {
    expect(size({})).toBe(14_751);
    expect(size({ method: 'bayesian' })).toBe(14_749);
  });

  it('for a decrease, relative or absolute', () => {
    expect(size({ smallestEffect: { kind: 'absolute', value: -0.02 } })).toBe(3213);
    expect(size({ smallestEffect: { kind: 'relative', value: -0.2 } })).toBe(3213);
  });

  it('of a mean, also a negative one', () => {
    expect(size({ baseline: MEAN, smallestEffect: { kind: 'absolute', value: 0.5 } })).toBe(39_245);
    const negative = { metric: 'mean', mean: -4, variance: 81 } as const;
    expect(size({ baseline: negative, smallestEffect: { kind: 'relative', value: 0.2 } })).toBe(1987);
    expect(size({ baseline: { ...MEAN, metric: 'ratio' }, smallestEffect: RELATIVE })).toBe(9812);
  });

  it('of an always-valid test, tuned and corrected', () => {
    expect(size({ method: 'sequential' })).toBe(31_842);
    expect(size({ method: 'sequential', sequentialN: 50_000 })).toBe(28_254);
    expect(size({ method: 'sequential', variations: 4 })).toBe(37_361);
    expect(size({ method: 'sequential', variations: 4, correction: 'none' })).toBe(31_842);
    expect(size({ method: 'sequential', variations: 4, correction: 'benjamini-hochberg' })).toBe(37_361);
  });

  it('of a group-sequential test are a few more, by how alpha is spent', () => {
    const inflation = (change: Partial<PlanInput>) =>
      size({ method: 'group-sequential', ...change }) / 14_751;
    // A continuously observed O'Brien-Fleming boundary needs 1.08 times the size, one of Pocock 1.4 times.
    expect(inflation({})).toBeGreaterThan(1.1);
    expect(inflation({})).toBeLessThan(1.25);
    expect(inflation({ spending: 'pocock' })).toBeGreaterThan(1.25);
    expect(inflation({ spending: 'pocock' })).toBeLessThan(1.6);
  });
});

describe('there is no plan', () => {
  const plan = (rate: number, value: number, kind: 'relative' | 'absolute' = 'absolute') =>
    planTest({ ...PLAN, baseline: { metric: 'proportion', rate }, smallestEffect: { kind, value } });

  it('for a rate outside of 0 to 1, before or after the change', () => {
    expect(plan(0.5, 0.4)?.visitorsPerVariation).toBe(20);
    for (const [rate, value] of [
      [0, 0.1],
      [1, -0.1],
      [0.5, 0.5],
      [0.5, -0.5],
      [0.5, 0.6],
      [0.5, -0.6],
    ]) {
      expect(plan(rate!, value!)).toBeNull();
    }
  });

  it('if no number is large enough', () => {
    expect(plan(0.5, 1e-200)).toBeNull();
    expect(planGuardrail({ baseline: RATE, maxHarm: 1e-200 })).toBeNull();
  });
});

it('has no days without visitors per day', () => {
  const days = (dailyVisitors: number | undefined) => planTest({ ...PLAN, dailyVisitors })!.days;
  expect([days(undefined), days(0), days(-1), days(29_502), days(29_501)]).toEqual([null, null, null, 1, 2]);
});

describe('visitors for a guardrail', () => {
  it.each([
    [268_332, {}],
    [335_528, { alpha: 0.01 }],
    [329_766, { power: 0.9 }],
    [228_566, { sequentialN: 50_000 }],
    [402_498, { variations: 3 }],
    [60_806, { maxHarm: 0.1 }],
    [181_654, { baseline: MEAN }],
  ])('are %i with %j', (visitors, change) => {
    expect(planGuardrail({ baseline: RATE, maxHarm: 0.05, ...change })).toBe(visitors);
  });

  it('are unknown without a margin or a variance', () => {
    expect(planGuardrail({ baseline: RATE, maxHarm: 0 })).toBeNull();
    expect(planGuardrail({ baseline: { metric: 'mean', mean: 3, variance: 0 }, maxHarm: 0.05 })).toBeNull();
    expect(planGuardrail({ baseline: { metric: 'mean', mean: -3, variance: 2 }, maxHarm: 0.05 })).toBeNull();
  });
});
