import type { Rule } from '@switchyard/core/api/targeting';
import { describe, expect, it } from 'vitest';
import { canBeMeasured, measuredBy, ruleDivision, withMeasure, withoutMeasure } from './measure-draft.ts';

const rollout = (percentage: number, more: object = {}): Rule => ({
  id: 'r',
  value: true,
  rollout: { percentage },
  ...more,
});
const split = (...weights: number[]): Rule => ({
  id: 'r',
  split: weights.map((weight, index) => ({ value: String(index), weight })),
});
const CONDITION = { attribute: 'country', operator: 'equals' as const, values: ['DE'] };

describe('a rule', () => {
  it.each<[string, Rule, boolean]>([
    ['a rollout below 100 %', rollout(99), true],
    ['a rollout that has not begun', rollout(0), true],
    ['a rollout to everybody', rollout(100), false],
    ['a split', split(1, 1), true],
    ['one value', { id: 'r', value: true }, false],
  ])('can be measured if it compares something: %s', (_name, rule, can) => {
    expect(canBeMeasured(rule)).toBe(can);
  });

  it('keeps what it is measured by, without empty fields', () => {
    const measure = {
      goals: ['signup'],
      guardrails: [{ goalId: 'refund', maxHarm: 0.1 }],
      smallestEffect: 0.2,
    };
    const rule = { ...rollout(50), measure };
    expect(withMeasure(rule, measuredBy(measure))).toEqual(rule);
    const less = { ...measuredBy(measure), guardrails: [], smallestEffect: null };
    expect(withMeasure(rule, less).measure).toEqual({ goals: ['signup'] });
    expect(withoutMeasure(rule)).toEqual(rollout(50));
  });
});

describe('the plan of a rule', () => {
  it.each<[string, Rule, object]>([
    ['half and half', rollout(50), { variations: 2, participating: 100, unevenness: 1 }],
    // 10 % and 90 %: 1 / (4 × 0.1 × 0.9)
    ['a tenth', rollout(10), { variations: 2, participating: 100, unevenness: 1 / 0.36 }],
    ['a split', split(1, 1, 1), { variations: 3, participating: 100, unevenness: 1 }],
    [
      'a split of a percentage',
      { ...split(3, 1), rollout: { percentage: 20 } },
      { variations: 2, participating: 20, unevenness: 4 / 3 },
    ],
    ['a value that nobody gets', split(1, 1, 0), { variations: 2, participating: 100, unevenness: 1 }],
    ['no control', split(0, 1, 1), { unevenness: 1 }],
    ['a larger control', split(4, 3, 3), { unevenness: 1 }],
  ])('knows how many take part, and how precise it is: %s', (_name, rule, division) => {
    const { unevenness, ...found } = ruleDivision(rule);
    const { unevenness: expected, ...others } = division as { unevenness: number };
    expect(unevenness).toBeCloseTo(expected, 10);
    expect(found).toMatchObject(others);
  });

  it('is about those who match', () => {
    const { audience } = ruleDivision(rollout(50, { conditions: [CONDITION] }));
    expect(JSON.parse(audience!)).toEqual({ match: 'all', conditions: [CONDITION] });
    expect(ruleDivision(rollout(50)).audience).toBeUndefined();
  });
});
