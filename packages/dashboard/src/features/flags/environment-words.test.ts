import type { Rule } from '@switchyard/core/api/targeting';
import { describe, expect, it } from 'vitest';
import type { Flag } from '../configuration/configuration-types.ts';
import { environmentWords } from './environment-words.ts';

const flag = { key: 'copy', type: 'string', defaultValue: 'off' } as unknown as Flag;
const words = (...rules: Rule[]) =>
  environmentWords(flag, { enabled: true, value: 'else', rules, prerequisites: [] }, []).replaceAll(
    '\u00a0',
    ' ',
  );
const entries = (...weights: number[]) => weights.map((weight, index) => ({ value: `v${index}`, weight }));
const rollout = { percentage: 20 };

describe('environmentWords', () => {
  it.each<{ rule: Rule; are: string }>([
    { rule: { id: 'r', rollout, value: 'a' }, are: '20 % a, else else' },
    { rule: { id: 'r', split: entries(1, 3) }, are: 'v0 (25 %) or v1 (75 %)' },
    { rule: { id: 'r', split: entries(1, 1), rollout }, are: '20 % v0 (50 %) or v1 (50 %), else else' },
    { rule: { id: 'r', split: entries(1, 1, 1, 1) }, are: '4 values' },
    { rule: { id: 'r', value: 'a' }, are: '1 rule, else else' },
    {
      rule: { id: 'r', split: entries(1, 1), conditions: [{ attribute: 'plan', operator: 'isSet' }] },
      are: '1 rule, else else',
    },
  ])('are short for one rule: $are', ({ rule, are }) => {
    expect(words(rule)).toBe(are);
    expect(words(rule, { id: 's', value: 'a' })).toBe('2 rules, else else');
    expect(words(rule, { id: 's', value: 'a', enabled: false })).toBe(are);
  });
});
