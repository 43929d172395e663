import fc from 'fast-check';
import { type Condition, type FlagDefinition, OPERATORS, type Rule, type Segment } from '../api/targeting.ts';
import type { Context } from '../evaluation/attribute-values.ts';
import type { RegexCompiler } from '../evaluation/operators.ts';

export const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'];
const NAMES = ['a', 'b', 'userId', 'email', ...INHERITED];

/** A fake compiler: patterns are plain text, and some are rejected. */
export const regex: RegexCompiler = (pattern) => {
  if (pattern.startsWith('(')) throw new Error('missing )');
  return (text) => text.includes(pattern);
};

const names = fc.constantFrom(...NAMES);
export const values = fc.oneof(
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom('a', '5', '1.2.3', '2024-01-01', '('),
);
export const condition: fc.Arbitrary<Condition> = fc.record(
  {
    attribute: names,
    operator: fc.constantFrom(...OPERATORS),
    values: fc.array(fc.oneof(values, names), { maxLength: 4 }),
    negate: fc.boolean(),
    caseInsensitive: fc.boolean(),
  },
  { requiredKeys: ['operator'] },
);
const match = fc.constantFrom('all' as const, 'any' as const);
const rollout = fc.record(
  { percentage: fc.double({ min: 0, max: 100, noNaN: true }), by: names, salt: fc.string({ minLength: 1 }) },
  { requiredKeys: ['percentage'] },
);
const split = fc.array(
  fc.record(
    { key: fc.string(), value: fc.boolean(), weight: fc.oneof(fc.nat(3), fc.double({ min: 0, max: 1e6 })) },
    { requiredKeys: ['value', 'weight'] },
  ),
  { maxLength: 4 },
);
const rule: fc.Arbitrary<Rule> = fc
  .tuple(
    fc.record(
      {
        id: fc.string(),
        enabled: fc.boolean(),
        match,
        conditions: fc.array(condition, { maxLength: 4 }),
        rollout,
      },
      { requiredKeys: ['id'] },
    ),
    fc.oneof(fc.record({ value: fc.boolean() }), fc.record({ split })),
  )
  .map(([common, served]) => ({ ...common, ...served }));
export const flag: fc.Arbitrary<FlagDefinition> = fc.record(
  {
    key: names,
    type: fc.constant('boolean' as const),
    defaultValue: fc.boolean(),
    version: fc.nat(),
    configuration: fc.record({
      enabled: fc.boolean(),
      value: fc.boolean(),
      rules: fc.array(rule, { maxLength: 4 }),
      prerequisites: fc.array(fc.record({ flag: names, value: fc.boolean() }), { maxLength: 2 }),
    }),
  },
  { requiredKeys: ['key', 'type', 'defaultValue', 'version'] },
);
export const segment: fc.Arbitrary<Segment> = fc.record(
  { id: names, match, conditions: fc.array(condition, { maxLength: 3 }) },
  { requiredKeys: ['id', 'conditions'] },
);
/** Parsed from JSON like a request, so that `__proto__` is an ordinary member. */
export const context = fc
  .array(fc.tuple(fc.oneof(names, fc.string()), fc.oneof(values, fc.jsonValue(), fc.array(values))))
  .map((members) => {
    const text = members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return JSON.parse(`{${text.join(',')}}`) as Context;
  });
