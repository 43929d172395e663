import { expect, it } from 'vitest';
import { flagValue } from './flag-value.ts';

const price = { value: '12.50', format: 'number' };
const pricing = { value: '{"plans": ["basic"]}', format: 'json' };

it('reads a flag by the type of the fallback', () => {
  expect(flagValue({ value: false }, true)).toBe(false);
  expect(flagValue({ value: 'spring' }, 'none')).toBe('spring');
  expect(flagValue(price, 1)).toBe(12.5);
  expect(flagValue(price, '1')).toBe('12.50');
  expect(flagValue(pricing, {})).toEqual({ plans: ['basic'] });
  expect(flagValue(pricing, [])).toEqual({ plans: ['basic'] });
  expect(flagValue(pricing, '')).toBe(pricing.value);
  expect(flagValue({ value: '5', format: 'json' }, 1)).toBe(5);
  expect(flagValue({ value: 'null', format: 'json' }, {})).toBe(null);
});

it('without a fallback, a value with a format is parsed', () => {
  for (const nothing of [null, undefined]) {
    expect(flagValue(price, nothing)).toBe(12.5);
    expect(flagValue(pricing, nothing)).toEqual({ plans: ['basic'] });
    expect(flagValue({ value: '{}' }, nothing)).toBe('{}');
    expect(flagValue({ value: true }, nothing)).toBe(true);
  }
});

it('has no value for a fallback of another type, and for what is not of its format', () => {
  for (const [flag, fallback] of [
    [undefined, null],
    [{}, 'none'],
    [{ value: false }, 'none'],
    [{ value: '{}' }, {}],
    [{ value: '5' }, 5],
    [price, {}],
    [price, true],
    [pricing, 1],
    [pricing, true],
    [{ value: 'true', format: 'json' }, false],
    [{ value: '{', format: 'json' }, {}],
    [{ value: '{', format: 'json' }, null],
  ] as const) {
    expect(flagValue(flag, fallback), JSON.stringify([flag, fallback])).toBeUndefined();
  }
});

it('returns the same frozen object for the same text', () => {
  const first = flagValue(pricing, {}) as { plans: string[] };
  expect(flagValue({ ...pricing }, null)).toBe(first);
  expect(flagValue({ ...pricing, value: '{"plans":["basic"]}' }, {})).not.toBe(first);
  expect(Object.isFrozen(first) && Object.isFrozen(first.plans)).toBe(true);
});
