import { expect, it } from 'vitest';
import { type PlanInput, planTest } from './planner.ts';

const PLAN: PlanInput = {
  method: 'frequentist',
  baseline: { metric: 'proportion', rate: 0.1 },
  smallestEffect: { kind: 'relative', value: 0.1 },
  dailyVisitors: 1000,
};

// Reference values of statsmodels are in reference.test.ts.
it('plans visitors and days for all variations', () => {
  expect(planTest(PLAN)).toEqual({ visitorsPerVariation: 14_751, visitors: 29_502, days: 30 });
  expect(planTest({ ...PLAN, variations: 4 })).toEqual({
    visitorsPerVariation: 14_751,
    visitors: 59_004,
    days: 60,
  });
  expect(planTest({ ...PLAN, dailyVisitors: undefined })?.days).toBeNull();
});

it('requires more visitors for sequential tests, higher power and smaller effects', () => {
  const visitors = (change: Partial<PlanInput>) => planTest({ ...PLAN, ...change })!.visitors;
  const plain = visitors({});
  expect(visitors({ method: 'sequential' })).toBeGreaterThan(1.3 * plain);
  expect(visitors({ power: 0.9 })).toBeGreaterThan(plain);
  expect(visitors({ alpha: 0.01 })).toBeGreaterThan(plain);
  expect(visitors({ smallestEffect: { kind: 'relative', value: 0.05 } })).toBeGreaterThan(3.5 * plain);
  expect(visitors({ smallestEffect: { kind: 'absolute', value: 0.01 } })).toBe(plain);
});

it('has no plan if no number of visitors is enough', () => {
  for (const change of [
    { smallestEffect: { kind: 'relative' as const, value: 0 } },
    { baseline: { metric: 'proportion' as const, rate: 0 } },
    {
      baseline: { metric: 'proportion' as const, rate: 0.95 },
      smallestEffect: { kind: 'relative' as const, value: 0.1 },
    },
    { baseline: { metric: 'mean' as const, mean: 0, variance: 3 } },
    { baseline: { metric: 'mean' as const, mean: 5, variance: 0 } },
  ]) {
    expect(planTest({ ...PLAN, ...change })).toBeNull();
  }
});
