import { describe, expect, it } from 'vitest';
import type { Flag } from '../configuration/configuration-types.ts';
import { compareEnvironments } from './environment-differences.ts';

const long = 'x'.repeat(100);
const environment = (changes: object) => ({
  enabled: true,
  value: '',
  rules: [],
  prerequisites: [],
  ...changes,
});
const differences = (production: object, staging: object) => {
  const environments = { production: environment(production), staging: environment(staging) };
  const flag = { key: 'copy', environments } as unknown as Flag;
  return compareEnvironments(flag, 'production', 'staging', []).filter(({ isSame }) => !isSame);
};
const differing = (production: object, staging: object) =>
  differences(production, staging).map(({ label }) => label);

describe('compareEnvironments', () => {
  it('tells long values apart whose first words are the same', () => {
    expect(differing({ value: `${long}1` }, { value: `${long}2` })).toEqual(['Everyone else']);
    expect(
      differing(
        { prerequisites: [{ flag: 'other', value: `${long}1` }] },
        { prerequisites: [{ flag: 'other', value: `${long}2` }] },
      ),
    ).toEqual(['Prerequisites']);
  });

  it('says which of two rules is measured', () => {
    const rule = { id: 'half', rollout: { percentage: 50 }, value: true };
    const measured = { ...rule, measure: { goals: ['signup'] } };
    const [line] = differences({ rules: [rule] }, { rules: [measured] });
    expect(line).toMatchObject({
      from: '1. Serve true to 50\u00a0% of everyone',
      to: '1. Serve true to 50\u00a0% of everyone, measured',
    });
  });
});
