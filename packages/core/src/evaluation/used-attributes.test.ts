import { describe, expect, it } from 'vitest';
import type { Condition, FlagConfiguration, FlagDefinition, Rule, Segment } from '../api/targeting.ts';
import { attributesOf, namesIn, TargetingIndex, unknownAttributes } from './used-attributes.ts';

const flag = (key: string, configuration?: Partial<FlagConfiguration>): FlagDefinition => ({
  key,
  type: 'boolean',
  defaultValue: false,
  version: 1,
  ...(configuration && {
    configuration: { enabled: true, value: true, rules: [], prerequisites: [], ...configuration },
  }),
});
const isSet = (attribute: string): Condition => ({ attribute, operator: 'isSet' });
const inSegment = (...values: string[]): Condition => ({ operator: 'inSegment', values });
const rule = (more: Partial<Rule>): Rule => ({ id: 'r', value: true, ...more });
const segment = (id: string, ...conditions: Condition[]): Segment => ({ id, conditions });

const used = (...rules: Rule[]) => attributesOf({ flags: [flag('f', { rules })], segments: [] });

describe('attributesOf', () => {
  it('has the attributes of conditions in rules and segments, each once', () => {
    const conditions = [isSet('plan'), isSet('age'), isSet('plan')];
    const flags = [flag('f', { rules: [rule({ conditions }), rule({})] }), flag('none')];
    const segments = [segment('s', isSet('country'), inSegment('t'))];
    const { named, usesUnit } = attributesOf({ flags, segments });
    expect([...named]).toEqual(['plan', 'age', 'country']);
    expect(usesUnit).toBe(false);
  });

  it('ignores an attribute next to inSegment, which nobody reads', () => {
    const conditions: Condition[] = [{ attribute: 'plan', operator: 'inSegment', values: ['s'] }];
    expect([...used(rule({ conditions })).named]).toEqual([]);
  });

  it('ignores a condition without an attribute', () => {
    expect([...used(rule({ conditions: [{ operator: 'isSet' }] })).named]).toEqual([]);
  });

  it('ignores rules and flags that are turned off', () => {
    const rules = [rule({ conditions: [isSet('plan')] })];
    const off = rules.map((each) => ({ ...each, enabled: false }));
    const flags = [flag('off', { enabled: false, rules }), flag('f', { rules: off })];
    expect([...attributesOf({ flags, segments: [] }).named]).toEqual([]);
    expect([...used(...rules.map((each) => ({ ...each, enabled: true }))).named]).toEqual(['plan']);
  });

  it('has what rollouts hash: a named attribute, or the first id', () => {
    expect(used(rule({ rollout: { percentage: 50, by: 'company' } }))).toEqual({
      named: new Set(['company']),
      usesUnit: false,
    });
    expect(used(rule({ rollout: { percentage: 50 } }))).toEqual({ named: new Set(), usesUnit: true });
    expect(used(rule({}))).toEqual({ named: new Set(), usesUnit: false });
  });

  it.each([0, 100])('has nothing for a rollout of %s percent, which hashes nothing', (percentage) => {
    expect(used(rule({ rollout: { percentage } })).usesUnit).toBe(false);
    expect([...used(rule({ rollout: { percentage, by: 'company' } })).named]).toEqual([]);
  });
});

describe('namesIn', () => {
  it('adds the ids if a rollout hashes the first of them', () => {
    const named = new Set(['plan', 'email']);
    expect(namesIn({ named, usesUnit: false })).toEqual(['plan', 'email']);
    expect(namesIn({ named, usesUnit: true })).toEqual([
      ...['plan', 'email', 'targetingKey', 'userId', 'visitorId', 'sessionId'],
    ]);
  });
});

describe('unknownAttributes', () => {
  it('are those that the context does not have, in the order of the alphabet', () => {
    const named = new Set(['plan', 'country', 'age', 'toString']);
    const context = { country: 'DE', age: null };
    expect(unknownAttributes({ named, usesUnit: true }, context)).toEqual(['age', 'plan', 'toString']);
  });
});

describe('TargetingIndex', () => {
  const requires = (...keys: string[]) => ({
    prerequisites: keys.map((key) => ({ flag: key, value: true })),
  });
  const flags = [
    flag('top', { ...requires('middle', 'gone'), rules: [rule({ conditions: [inSegment('outer')] })] }),
    flag('middle', {
      ...requires('base'),
      rules: [rule({ enabled: false, conditions: [inSegment('off')] })],
    }),
    flag('base'),
    flag('other', { rules: [rule({}), rule({ conditions: [inSegment('off', 'unknown')] })] }),
  ];
  const segments = [
    segment('outer', inSegment('inner'), isSet('a')),
    segment('inner', inSegment('outer', 'gone'), isSet('b')),
    segment('off', isSet('c')),
  ];
  const index = new TargetingIndex({ flags, segments });
  const names = (keys: string[]) => {
    const needed = index.neededFor(keys);
    return [needed.flags.map(({ key }) => key), needed.segments.map(({ id }) => id)];
  };

  it('finds flags with their prerequisites, and the segments that their rules use', () => {
    expect(names(['top'])).toEqual([
      ['top', 'middle', 'base'],
      ['outer', 'inner'],
    ]);
    expect(names(['base', 'missing'])).toEqual([['base'], []]);
    expect(names(['other'])).toEqual([['other'], ['off']]);
  });

  it('finds segments with those that they contain', () => {
    expect(index.withContained(['inner'])).toEqual([segments[1], segments[0]]);
    expect(index.withContained(['off', 'missing'])).toEqual([segments[2]]);
  });

  it('takes the first of two with the same name', () => {
    const twice = new TargetingIndex({
      flags: [flag('f'), flag('f', {})],
      segments: [segment('s', isSet('a')), segment('s', isSet('b'))],
    });
    expect(twice.neededFor(['f']).flags).toEqual([flag('f')]);
    expect(twice.withContained(['s'])).toEqual([segment('s', isSet('a'))]);
  });
});
