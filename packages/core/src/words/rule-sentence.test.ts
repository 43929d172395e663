import { describe, expect, it } from 'vitest';
import type { Rule } from '../api/targeting.ts';
import { ruleSentence } from './rule-sentence.ts';

const sentence = (rule: Omit<Rule, 'id'>) =>
  ruleSentence(
    { id: 'r', ...rule },
    { segments: [], time: (at) => new Date(at).toISOString(), percent: (percentage) => `${percentage} %` },
  );

const split = [
  { value: 'grid', weight: 1 },
  { value: 'list', weight: 1 },
  { value: 'map', weight: 1 },
];

describe('ruleSentence', () => {
  it('tells the shares of a split', () => {
    expect(sentence({ split })).toBe('Serve grid (33.3 %), list (33.3 %) or map (33.3 %) to everyone');
  });

  it('tells how many get a value of the split', () => {
    const conditions: Rule['conditions'] = [{ attribute: 'plan', operator: 'equals', values: ['pro'] }];
    const rule = { split: split.slice(0, 2), rollout: { percentage: 20 } };
    expect(sentence({ ...rule, conditions })).toBe(
      'If plan is pro, serve grid (50 %) or list (50 %) to 20 %',
    );
    expect(sentence(rule)).toBe('Serve grid (50 %) or list (50 %) to 20 % of everyone');
  });

  it('does not divide by nothing', () => {
    const nothing = split.slice(0, 2).map((entry) => ({ ...entry, weight: 0 }));
    expect(sentence({ split: nothing })).toBe('Serve grid (0 %) or list (0 %) to everyone');
  });
});
