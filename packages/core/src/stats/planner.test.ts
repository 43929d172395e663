import { expect, it } from 'vitest';
import { METHODS } from './analysis.ts';
import { normalUpperQuantile } from './distributions/normal.ts';
import { type PlanInput, planGuardrail, planTest } from './planner.ts';
import { sequentialCritical } from './sequential.ts';

const PLAN: PlanInput = {
  method: 'frequentist',
  baseline: { metric: 'proportion', rate: 0.1 },
  smallestEffect: { kind: 'relative', value: 0.1 },
  dailyVisitors: 1000,
};

// Reference values of statsmodels are in reference.test.ts.
it('plans visitors and days for all variations', () => {
  expect(planTest(PLAN)).toEqual({ visitorsPerVariation: 14_751, visitors: 29_502, days: 30 });
  expect(planTest({ ...PLAN, variations: 4, correction: 'none' })).toEqual({
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

it.each(METHODS)('corrects for several variations as the verdict does: %s', (method) => {
  const plan = (change: Partial<PlanInput>) => planTest({ ...PLAN, method, ...change })!.visitorsPerVariation;
  const isCorrected = method !== 'bayesian';
  expect(plan({ variations: 4 }) > plan({ variations: 4, correction: 'none' })).toBe(isCorrected);
  expect(plan({ variations: 2 })).toBe(plan({ variations: 2, correction: 'none' }));
  // A single look at a third of alpha.
  if (method === 'frequentist') expect(plan({ variations: 4 })).toBe(plan({ alpha: 0.05 / 3 }));
});

it('plans how many visitors a guardrail needs: more for a smaller margin and a rarer goal', () => {
  const plan = (rate: number, maxHarm: number) =>
    planGuardrail({ baseline: { metric: 'proportion', rate }, maxHarm })!;
  expect(plan(0.1, 0.05)).toBeGreaterThan(3.5 * plan(0.1, 0.1));
  expect(plan(0.01, 0.05)).toBeGreaterThan(10 * plan(0.1, 0.05));
  expect(planGuardrail({ baseline: { metric: 'proportion', rate: 0 }, maxHarm: 0.05 })).toBeNull();
  // At the planned size, the half-width and a reserve for the power fill the margin.
  const visitors = plan(0.1, 0.05);
  const error = Math.sqrt((4 * 0.1 * 0.9) / visitors) / 0.1;
  const critical = sequentialCritical(visitors, 0.05, 5000);
  expect((critical + normalUpperQuantile(0.2)) * error).toBeCloseTo(0.05, 4);
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
