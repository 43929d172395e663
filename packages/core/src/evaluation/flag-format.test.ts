import { describe, expect, it } from 'vitest';
import { parseFlagValue } from './flag-format.ts';

describe('parseFlagValue', () => {
  it('returns frozen values, also within', () => {
    const value = parseFlagValue('{"plans": [{"name": "basic"}]}', 'json') as { plans: object[] };
    expect(value).toEqual({ plans: [{ name: 'basic' }] });
    expect([value, value.plans, value.plans[0]].every(Object.isFrozen)).toBe(true);
  });

  it('keeps members that are named like those of all objects', () => {
    const value = parseFlagValue('{"__proto__": {"a": 1}}', 'json');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
  });

  it('returns undefined for what it cannot be', () => {
    expect(parseFlagValue(true, 'json')).toBeUndefined();
    expect(parseFlagValue('[1', 'json')).toBeUndefined();
    expect(parseFlagValue('true', 'number')).toBeUndefined();
    expect(parseFlagValue('[', 'number')).toBeUndefined();
  });
});
