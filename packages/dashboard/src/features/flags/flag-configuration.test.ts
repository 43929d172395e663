import type { Condition, Rule } from '@switchyard/core/api/targeting';
import { describe, expect, it } from 'vitest';
import { newRule, onlyRule, simpleRollout } from './flag-configuration.ts';
import { withSplit } from './rules/split/splits.ts';

const rollout = { percentage: 20 };
const rule: Rule = { id: 'r', rollout, value: true };
const condition: Condition = { attribute: 'plan', operator: 'equals', values: ['pro'] };

describe('simpleRollout', () => {
  it('is the only rule, of one value for a percentage of everyone', () => {
    expect(simpleRollout({ rules: [rule] })).toEqual(rule);
  });

  it.each<{ what: string; rules: Rule[] }>([
    { what: 'no rules', rules: [] },
    { what: 'two rules', rules: [rule, { ...rule, id: 's' }] },
    { what: 'a rule for all', rules: [{ id: 'r', value: true }] },
    { what: 'a condition', rules: [{ ...rule, conditions: [condition] }] },
    { what: 'a rule that is off', rules: [{ ...rule, enabled: false }] },
    { what: 'a split', rules: [withSplit(rule, 'boolean', true)] },
    { what: 'neither a value nor a split', rules: [{ id: 'r', rollout }] },
  ])('is not $what', ({ rules }) => {
    expect(simpleRollout({ rules })).toBeUndefined();
  });
});

describe('onlyRule', () => {
  it('may have a split, and serve all', () => {
    const split = withSplit(newRule([], 'a'), 'text', '');
    expect(onlyRule({ rules: [split] })).toBe(split);
    expect(onlyRule({ rules: [{ ...split, conditions: [condition] }] })).toBeUndefined();
  });
});
