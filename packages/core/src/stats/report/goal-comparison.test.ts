import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { convertedOnce, goalOf, groupOf, inputOf } from '../../testing/report-cases.ts';
import { compareGoals, comparisonSettings } from './goal-comparison.ts';
import { finishedEffects } from './learned-prior.ts';
import { variationCounts } from './report-counts.ts';
import type { ReportInput } from './report-input.ts';

describe('the correction for several comparisons', () => {
  const goals = [
    goalOf('p'),
    goalOf('s1', { role: 'secondary' }),
    goalOf('s2', { role: 'secondary' }),
    goalOf('g', { role: 'guardrail' }),
  ];
  const group = (key: string, converted: readonly number[]) =>
    groupOf(key, 1000, { goals: converted.map((number, index) => convertedOnce(goals[index]!.id, number)) });
  const input = (more: Partial<ReportInput> = {}, s2 = [100, 130, 100]) =>
    inputOf(
      [
        group('control', [100, 100, s2[0]!, 100]),
        group('b', [150, 140, s2[1]!, 120]),
        group('c', [100, 100, s2[2]!, 170]),
      ],
      {
        goals,
        variations: ['control', 'b', 'c'].map((key) => ({ key, weight: 1 })),
        statistics: { ...DEFAULT_STATISTICS, engine: 'frequentist' },
        ...more,
      },
    );
  const compared = (given: ReportInput, which?: 'guardrails' | 'others') => {
    const counts = variationCounts(given);
    return compareGoals(comparisonSettings(given, counts, false), counts, 'all', which);
  };
  const factors = (given: ReportInput) =>
    compared(given).map(({ metrics }) =>
      metrics[0]!.variations.slice(1).map(({ pValue, adjustedPValue }) => {
        return pValue === 1 || pValue === null ? 1 : Math.round(adjustedPValue! / pValue);
      }),
    );

  it('is made in each role of its own, over goals and variations', () => {
    // By Holm: twice in the primary goal, four times and three times in both secondary goals.
    expect(factors(input())).toEqual([
      [2, 1],
      [4, 1],
      [3, 1],
      [1, 2],
    ]);
    expect(factors(input({ statistics: { ...DEFAULT_STATISTICS, correction: 'none' } })).flat()).toEqual(
      Array(8).fill(1),
    );
  });

  it('leaves out goals that nobody has reached', () => {
    expect(factors(input({}, [0, 0, 0]))).toEqual([
      [2, 1],
      [2, 1],
      [1, 1],
      [1, 2],
    ]);
  });

  it('leaves out metrics that only explain', () => {
    const [primary] = compared(input());
    const [, explains] = primary!.metrics;
    expect(explains!.variations.every(({ pValue, adjustedPValue }) => pValue === adjustedPValue)).toBe(true);
  });

  it('compares guardrails or all others, in the order of the goals', () => {
    const ids = (which?: 'guardrails' | 'others') => compared(input(), which).map(({ goal }) => goal.id);
    expect(ids()).toEqual(['p', 's1', 's2', 'g']);
    expect(ids('guardrails')).toEqual(['g']);
    expect(ids('others')).toEqual(['p', 's1', 's2']);
  });
});

describe('the effects of a finished test', () => {
  const finished = (control: number, b: number, more: Partial<ReportInput> = {}) =>
    finishedEffects(
      inputOf(
        [
          groupOf('control', 1000, { goals: [convertedOnce('signup', control), convertedOnce('other', 1)] }),
          groupOf('b', 1000, { goals: [convertedOnce('signup', b), convertedOnce('other', 900)] }),
        ],
        { goals: [goalOf('other', { role: 'secondary' }), goalOf('signup')], ...more },
      ),
    );

  it('are those on the primary goal, relative to the control', () => {
    const [effect, ...more] = finished(200, 250);
    expect(more).toEqual([]);
    expect(effect!.estimate).toBeCloseTo(0.25, 12);
    expect(effect!.standardError).toBeCloseTo(Math.sqrt(0.2 * 0.8 + 0.25 * 0.75) / Math.sqrt(1000) / 0.2, 12);
  });

  it('do not depend on the method, its prior or covariates', () => {
    const statistics = { ...DEFAULT_STATISTICS, engine: 'bayesian', prior: { mean: 0, sd: 1e-6 } } as const;
    expect(finished(200, 250, { statistics })).toEqual(finished(200, 250));
  });

  it('are unknown without conversions of the control, or without a primary goal', () => {
    expect(finished(0, 250)).toEqual([]);
    expect(finished(200, 250, { goals: [goalOf('signup', { role: 'guardrail' })] })).toEqual([]);
  });
});
