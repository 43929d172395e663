import { describe, expect, it } from 'vitest';
import { goalOf } from '../../testing/report-cases.ts';
import { NO_COMPARISON } from '../comparison.ts';
import type { GoalComparison } from './goal-comparison.ts';
import { interactionsOf } from './interaction.ts';

/** The conversion rate of the control and of "b", with as many visitors, and the standard error of the difference. */
const pair = (n: number, mean: number, relative: number, error: number | null): GoalComparison => ({
  goal: goalOf('signup'),
  metrics: [
    {
      metric: 'conversion-rate',
      decides: true,
      variations: [
        { ...NO_COMPARISON, key: 'control', n, mean, adjustedPValue: null },
        {
          ...NO_COMPARISON,
          key: 'b',
          n,
          mean: mean * (1 + relative),
          absolute: { estimate: mean * relative, low: null, high: null },
          relative: mean > 0 ? { estimate: relative, low: null, high: null } : null,
          standardError: error,
          adjustedPValue: null,
        },
      ],
    },
  ],
});

const EFFECTS = [pair(1000, 0.1, 0.5, 0.006), pair(2000, 0.1, 0, 0.005), pair(1500, 0.2, 0.1, 0.008)];

// The expected p-values come from the closed forms in Python.
describe('the interaction of two tests', () => {
  it('compares the effect between two variations of the other test', () => {
    const [found, ...more] = interactionsOf(EFFECTS.slice(0, 2));
    expect(more).toEqual([]);
    expect(found).toMatchObject({ variation: 'b', unit: 'relative' });
    expect(found!.effects.map(({ position }) => position)).toEqual([0, 1]);
    expect(found!.effects[0]!.estimate).toBeCloseTo(0.5, 12);
    expect(found!.pValue / 4.278_699_478_480_221e-8).toBeCloseTo(1, 9);
  });

  it('compares it between all variations of the other test at once', () => {
    const [found] = interactionsOf(EFFECTS);
    expect(found!.effects).toHaveLength(3);
    expect(found!.pValue / 1.019_385_446_469_190_9e-9).toBeCloseTo(1, 9);
  });

  it('finds nothing in effects that are the same, whatever the level of the control', () => {
    const [same] = interactionsOf([pair(1000, 0.1, 0.2, 0.006), pair(1000, 0.3, 0.2, 0.018)]);
    expect(same!.pValue).toBe(1);
  });

  it('leaves out what has too few visitors or conversions, or no known spread', () => {
    const usable = EFFECTS[1]!;
    for (const unusable of [
      pair(99, 0.5, 1, 0.01),
      pair(1000, 0.02, 1, 0.01),
      pair(1000, 0.1, 0.5, null),
      undefined,
    ]) {
      expect(interactionsOf([usable, unusable])).toEqual([]);
      expect(interactionsOf([usable, unusable, EFFECTS[2]])[0]!.effects).toHaveLength(2);
    }
    expect(interactionsOf([])).toEqual([]);
  });
});
