import { describe, expect, it } from 'vitest';
import type { Flag } from '../configuration/configuration-types.ts';
import { flagValues } from './flag-values.ts';

describe('flagValues', () => {
  it('has the values of all rules, also of splits, each once', () => {
    const split = [
      { value: 'a', weight: 1 },
      { value: 'b', weight: 1 },
      { value: '', weight: 1 },
    ];
    const production = {
      rules: [
        { id: '1', split },
        { id: '2', value: 'c' },
      ],
      value: 'a',
    };
    const flag = { type: 'string', defaultValue: 'off', environments: { production } };
    expect(flagValues(flag as unknown as Flag)).toEqual(['a', 'b', 'c', 'off']);
  });
});
