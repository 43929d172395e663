import { describe, expect, it } from 'vitest';
import { mergeUnchanged } from './merge-unchanged.ts';

describe('merging a draft into a newer document', () => {
  const base = {
    name: 'a',
    tags: ['x'],
    rules: [
      { id: 'r1', value: 1 },
      { id: 'r2', value: 1 },
    ],
  };

  it('keeps what the draft changed and takes the rest', () => {
    const current = { ...base, tags: ['x', 'y'], name: 'theirs' };
    expect(mergeUnchanged(base, current, { ...base, name: 'own' })).toEqual({ ...current, name: 'own' });
  });

  it('merges items that are still the same ones', () => {
    const current = {
      ...base,
      rules: [
        { id: 'r1', value: 1 },
        { id: 'r2', value: 2 },
      ],
    };
    const draft = {
      ...base,
      rules: [
        { id: 'r1', value: 3 },
        { id: 'r2', value: 1 },
      ],
    };
    expect(mergeUnchanged(base, current, draft)).toMatchObject({ rules: [{ value: 3 }, { value: 2 }] });
  });

  it('takes a reordered or shortened list as a whole', () => {
    const draft = { ...base, rules: [base.rules[1]] };
    expect(mergeUnchanged(base, { ...base, name: 'b' }, draft)).toEqual({ ...draft, name: 'b' });
  });

  it('takes over added and removed fields', () => {
    const { tags: _, ...current } = { ...base, owner: 'ada' };
    expect(mergeUnchanged(base, current, { ...base, name: 'own' })).toEqual({ ...current, name: 'own' });
  });
});
