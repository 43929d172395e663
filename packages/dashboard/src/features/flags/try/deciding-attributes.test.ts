import type { Condition, Rule } from '@switchyard/core/api/targeting';
import { describe, expect, it } from 'vitest';
import { decidingAttributes } from './deciding-attributes.ts';

const conditions: Condition[] = [{ attribute: 'plan', operator: 'isSet' }];
const split = [
  { value: 'a', weight: 1 },
  { value: 'b', weight: 1 },
];

describe('decidingAttributes', () => {
  it.each<{ rule: Omit<Rule, 'id'>; are: string[] }>([
    { rule: { conditions, value: 'a' }, are: ['plan'] },
    { rule: { conditions, split }, are: ['plan', 'userId'] },
    { rule: { conditions, rollout: { percentage: 10 }, value: 'a' }, are: ['plan', 'userId'] },
    { rule: { split, rollout: { percentage: 100, by: 'company' } }, are: ['company'] },
  ])('are those of conditions and of what values are drawn by: $are', ({ rule, are }) => {
    expect(decidingAttributes({ rules: [{ id: 'r', ...rule }] }, [])).toEqual(are);
  });
});
