import { describe, expect, it } from 'vitest';
import { type Baseline, type PlanInput, planTest } from './planner.ts';
import { smallestEffectWith } from './smallest-effect.ts';

const BASELINES: Baseline[] = [
  { metric: 'proportion', rate: 0.1 },
  { metric: 'proportion', rate: 0.7 },
  { metric: 'mean', mean: 20, variance: 900 },
];
const METHODS = ['frequentist', 'sequential', 'group-sequential', 'bayesian'] as const;

describe('the smallest effect that a number of visitors finds', () => {
  it.each(METHODS.flatMap((method) => BASELINES.map((baseline) => ({ method, baseline }))))(
    'is the one that needs them: %j',
    (settings) => {
      const visitors = 30_000;
      const effect = smallestEffectWith(visitors, settings)!;
      const plan = (value: number) =>
        planTest({ ...(settings as PlanInput), smallestEffect: { kind: 'relative', value } })!.visitors;
      expect(plan(effect) / visitors).toBeCloseTo(1, 2);
      expect(plan(effect * 0.98)).toBeGreaterThan(visitors);
    },
  );

  it('is none if there are too few visitors, or no data', () => {
    expect(smallestEffectWith(4, { method: 'frequentist', baseline: BASELINES[0]! })).toBeNull();
    const constant: Baseline = { metric: 'mean', mean: 0, variance: 0 };
    expect(smallestEffectWith(1000, { method: 'group-sequential', baseline: constant })).toBeNull();
  });

  it('does not take a share beyond 1', () => {
    const effect = smallestEffectWith(100, {
      method: 'frequentist',
      baseline: { metric: 'proportion', rate: 0.7 },
    });
    expect(effect).toBeLessThan(1 / 0.7 - 1);
  });
});
