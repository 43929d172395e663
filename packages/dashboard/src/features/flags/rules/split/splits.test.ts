import type { Rule } from '@switchyard/core/api/targeting';
import { servedValues } from '@switchyard/core/words/rule-sentence';
import { describe, expect, it } from 'vitest';
import {
  splitShares,
  startSplit,
  withEqualWeights,
  withKey,
  withOneMore,
  withOneValue,
  withSplit,
} from './splits.ts';

const weights = (...all: number[]) => all.map((weight, index) => ({ value: String(index), weight }));

describe('the shares of a split', () => {
  it.each([
    { of: [50, 50], are: [50, 50] },
    { of: [1, 3], are: [25, 75] },
    { of: [1, 1, 1], are: [33.3, 33.3, 33.3] },
    { of: [0, 5], are: [0, 100] },
    { of: [0, 0], are: [0, 0] },
  ])('are those of the sentence: $of', ({ of, are }) => {
    const split = weights(...of);
    expect(splitShares(split)).toEqual(are);
    const rule = { id: 'r', split };
    const words = are.map((share, index) => `${index} (${share})`);
    expect(servedValues(rule, { percent: String })).toBe(
      `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    );
  });
});

describe('a split', () => {
  it.each([
    { kind: 'boolean', value: true, other: false },
    { kind: 'boolean', value: false, other: true },
    { kind: 'text', value: 'a', other: '' },
    { kind: 'number', value: '5', other: '5' },
    { kind: 'json', value: '{}', other: '{}' },
  ] as const)('starts with two halves: $kind $value', ({ kind, value, other }) => {
    expect(startSplit(kind, value)).toEqual([
      { value, weight: 50 },
      { value: other, weight: 50 },
    ]);
  });

  it('takes the place of the value of a rule, and back', () => {
    const rule: Rule = { id: 'r', name: 'Some', rollout: { percentage: 20 }, value: 'a' };
    const { value, ...rest } = rule;
    const split = withSplit(rule, 'text', 'else');
    expect(split).toEqual({ ...rest, split: startSplit('text', 'a') });
    expect(split).not.toHaveProperty('value');
    expect(withOneValue(split, 'else')).toEqual(rule);
    expect(withOneValue(split, 'else')).not.toHaveProperty('split');
    expect(withSplit(rest, 'text', 'else').split?.[0]?.value).toBe('else');
  });

  it('gets one more entry with an equal share', () => {
    expect(withOneMore(weights(1, 1), 'text')).toEqual([...weights(1, 1), { value: '', weight: 1 }]);
    expect(withOneMore(weights(50, 50), 'json').map(({ weight }) => weight)).toEqual([33.4, 33.3, 33.3]);
    expect(withOneMore(startSplit('boolean', true), 'boolean').at(-1)?.value).toBe(false);
  });

  it('gets equal weights: percentages where they are whole', () => {
    expect(withEqualWeights(weights(10, 90)).map(({ weight }) => weight)).toEqual([50, 50]);
    expect(withEqualWeights(weights(1, 2, 3)).map(({ weight }) => weight)).toEqual([1, 1, 1]);
  });

  it('names its entries, or leaves the name out', () => {
    const entry = { value: 'a', weight: 1 };
    expect(withKey(entry, 'blue')).toEqual({ ...entry, key: 'blue' });
    expect(withKey({ ...entry, key: 'blue' }, '')).not.toHaveProperty('key');
  });
});
