import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import type { Condition, FlagConfiguration, FlagDefinition, Segment } from '../api/targeting.ts';
import vectors from '../cases/flags.json' with { type: 'json' };
import type { Context } from './attribute-values.ts';
import { compileFlags, createFlagCompiler, type Evaluation, type MeasuredExposure } from './flags.ts';
import { ruleRegex } from './rule-regex.ts';

interface ConditionCase {
  name: string;
  condition: Condition;
  context: Context;
  matches: boolean;
}

interface EvaluationCase {
  name: string;
  flags: FlagDefinition[];
  segments: Segment[];
  key: string;
  context: Context;
  expected: Evaluation | null;
}

interface ExposureCase extends Omit<EvaluationCase, 'expected'> {
  expected: Omit<MeasuredExposure, 'flagKey'>[];
}

const { conditions, evaluations, exposures } = vectors as unknown as {
  conditions: ConditionCase[];
  evaluations: EvaluationCase[];
  exposures: ExposureCase[];
};

const regex = ruleRegex(RE2JS);

function flag(key: string, configuration: Partial<FlagConfiguration>): FlagDefinition {
  const complete = { enabled: true, value: true, rules: [], prerequisites: [], ...configuration };
  return { key, type: 'boolean', defaultValue: false, version: 1, configuration: complete };
}

describe('condition vectors', () => {
  it.each(conditions)('$name', ({ condition, context, matches }) => {
    const rules = [{ id: 'r1', conditions: [condition], value: true }];
    const set = compileFlags([flag('f', { value: false, rules })], [], { regex });
    expect(set.evaluate('f', context)?.value).toBe(matches);
  });
});

describe('evaluation vectors', () => {
  it.each(evaluations)('$name', ({ flags, segments, key, context, expected }) => {
    const set = compileFlags(flags, segments, { regex });
    expect(set.evaluate(key, context)).toEqual(expected ?? undefined);
    // The order of definitions does not matter.
    const reversed = compileFlags(flags.toReversed(), segments.toReversed(), { regex });
    expect(reversed.evaluate(key, context)).toEqual(expected ?? undefined);
    const all = set.evaluateAll(context);
    expect(Object.keys(all)).toEqual(set.keys);
    expect(Object.hasOwn(all, key) ? all[key] : undefined).toEqual(expected ?? undefined);
  });
});

describe('exposure vectors', () => {
  it.each(exposures)('$name', ({ flags, segments, key, context, expected }) => {
    const set = compileFlags(flags, segments, { regex });
    const withKey = expected.map((each) => ({ flagKey: key, ...each }));
    expect(set.exposures(key, context)).toEqual(withKey);
    // Whoever is inside has the value of the rule.
    const { ruleId } = set.evaluate(key, context)!;
    const served = expected.filter(({ variant }) => variant !== 'off');
    for (const each of served) expect(each.ruleId).toBe(ruleId);
    expect(set.exposures('unknown', context)).toEqual([]);
  });

  it('only flags with a measured rule are asked', () => {
    const [measured] = exposures;
    const set = compileFlags([...measured!.flags, flag('plain', {})], [], { regex });
    expect([...set.measured]).toEqual([measured!.key]);
  });
});

describe('values that JSON does not have', () => {
  const holds = (condition: Condition, value: unknown) => {
    const rules = [{ id: 'r1', conditions: [condition], value: true }];
    const set = compileFlags([flag('f', { value: false, rules })], [], { regex });
    return set.evaluate('f', { a: value })?.value;
  };

  it('count as JSON.stringify would write them', () => {
    const day = new Date('2026-03-01T00:00:00Z');
    expect(holds({ attribute: 'a', operator: 'before', values: ['2026-04-01'] }, day)).toBe(true);
    expect(holds({ attribute: 'a', operator: 'after', values: ['2026-04-01'] }, day)).toBe(false);
    expect(holds({ attribute: 'a', operator: 'equals', values: [day.toISOString()] }, day)).toBe(true);
    for (const missing of [
      new Date(Number.NaN),
      Number.NaN,
      Number.POSITIVE_INFINITY,
      () => 1,
      Symbol('a'),
    ]) {
      expect(holds({ attribute: 'a', operator: 'isNotSet' }, missing)).toBe(true);
      expect(holds({ attribute: 'a', operator: 'notEquals', values: ['x'] }, missing)).toBe(false);
    }
  });
});

describe('the limits of attributes', () => {
  const holds = (condition: Condition, context: Context) => {
    const rules = [{ id: 'r1', conditions: [condition], value: true }];
    const set = compileFlags([flag('f', { value: false, rules })], [], { regex });
    return set.evaluate('f', context)?.value;
  };

  it('a list may have 4096 characters of text', () => {
    const isSet = (a: string[]) => holds({ attribute: 'a', operator: 'isSet' }, { a });
    expect(isSet(['x'.repeat(4000), 'y'.repeat(96)])).toBe(true);
    expect(isSet(['x'.repeat(4000), 'y'.repeat(97)])).toBe(false);
  });

  it.each([
    ['1e+2', 100],
    ['25e-1', 2.5],
    ['1E2', 100],
    ['2.25', 2.25],
    ['1e10', 1e10],
  ])('%s is the number %s', (text, number) => {
    expect(holds({ attribute: 'a', operator: 'lessThan', values: [number + 0.1] }, { a: text })).toBe(true);
    expect(holds({ attribute: 'a', operator: 'greaterThan', values: [number - 0.1] }, { a: text })).toBe(
      true,
    );
  });

  it('more than eight values are compared as a few are', () => {
    const values = Array.from({ length: 12 }, (_, index) => `v${index}`);
    for (const count of [8, 9, 12]) {
      const isIn = (a: unknown, caseInsensitive = false) =>
        holds({ attribute: 'a', operator: 'in', values: values.slice(0, count), caseInsensitive }, { a });
      expect([isIn('v0'), isIn(`v${count - 1}`), isIn('v12'), isIn('V0')]).toEqual([
        true,
        true,
        false,
        false,
      ]);
      expect([isIn(['x', 'v1']), isIn('V1', true), isIn('V12', true)]).toEqual([true, true, false]);
    }
  });

  it('a pattern sees the text as it is', () => {
    expect(holds({ attribute: 'a', operator: 'matches', values: ['HEL'] }, { a: 'HELLO' })).toBe(true);
  });

  it.each([
    ['semverGreaterThan', false],
    ['semverGreaterThanOrEqual', true],
    ['semverLessThan', false],
    ['semverLessThanOrEqual', true],
    ['greaterThan', false],
    ['greaterThanOrEqual', true],
    ['lessThan', false],
    ['lessThanOrEqual', true],
  ] as const)('%s of the same is %s', (operator, expected) => {
    const same = operator.startsWith('semver') ? '1.2.3' : '5';
    expect(holds({ attribute: 'a', operator, values: [same] }, { a: same })).toBe(expected);
  });

  it('a condition without an attribute never matches', () => {
    expect(holds({ operator: 'isNotSet' }, {})).toBe(false);
    expect(holds({ operator: 'isSet' }, { undefined: 'x' })).toBe(false);
  });
});

describe('a compiler of flags', () => {
  const compile = createFlagCompiler([], { regex });

  it('keeps the outcomes of a flag that has not changed', () => {
    const unchanged = flag('f', {});
    const before = compile([unchanged]).outcome('f', {});
    expect(compile([flag('g', {}), unchanged]).outcome('f', {})).toBe(before);
  });

  it('lets a flag that has not changed see the change of its prerequisite', () => {
    const dependent = flag('f', { prerequisites: [{ flag: 'g', value: true }] });
    expect(compile([dependent, flag('g', {})]).evaluate('f', {})?.value).toBe(true);
    expect(compile([dependent, flag('g', { value: false })]).evaluate('f', {})?.value).toBe(false);
  });
});

describe('a set of flags', () => {
  const conditions: Condition[] = [{ attribute: 'plan', operator: 'equals', values: ['pro'] }];
  const paying: Segment = { id: 'paying', conditions };
  const rules = [
    { id: 'r1', conditions: [{ operator: 'inSegment' as const, values: ['paying'] }], value: true },
  ];

  it('keeps no state between contexts', () => {
    const dependent = flag('g', { prerequisites: [{ flag: 'f', value: true }] });
    const set = compileFlags([flag('f', { value: false, rules }), dependent], [paying], { regex });
    for (const plan of ['pro', 'free', 'pro', 'free']) {
      const on = plan === 'pro';
      expect(set.evaluate('f', { plan })?.value).toBe(on);
      expect(set.evaluate('g', { plan })?.value).toBe(on);
      expect(set.evaluateAll({ plan }).g?.value).toBe(on);
    }
  });

  it('has the same results when all flags are evaluated first', () => {
    const set = compileFlags([flag('f', { value: false, rules })], [paying], { regex });
    for (const plan of ['pro', 'free', 'pro'])
      expect(set.evaluateAll({ plan }).f?.value).toBe(plan === 'pro');
  });

  it('notices a context that was changed in place', () => {
    const set = compileFlags([flag('f', { value: false, rules })], [paying], { regex });
    const context = { plan: 'pro' };
    expect(set.evaluate('f', context)?.value).toBe(true);
    context.plan = 'free';
    expect(set.evaluate('f', context)?.value).toBe(false);
  });

  it('returns shared, frozen results', () => {
    const set = compileFlags([flag('f', { rules })], [paying], { regex });
    const result = set.evaluate('f', { plan: 'pro' });
    expect(set.evaluate('f', { plan: 'pro' })).toBe(result);
    expect(Object.isFrozen(result)).toBe(true);
  });

  it('is not affected by later changes of its input', () => {
    const definition = flag('f', {});
    const set = compileFlags([definition], [], { regex });
    definition.version = 2;
    expect(set.evaluate('f', {})?.version).toBe(1);
  });

  it('keeps the order of keys, and the first of two flags with the same key', () => {
    const twice = [flag('b', {}), flag('a', {}), flag('b', { value: false })];
    const set = compileFlags(twice, [], { regex });
    expect(set.keys).toEqual(['b', 'a']);
    expect(set.evaluate('b', {})?.value).toBe(true);
  });

  it('evaluates each flag and segment only once', () => {
    // 40 layers of two, each referencing both of the layer below twice: naively, 4^40 steps.
    const layers = Array.from({ length: 40 }, (_, i) => i);
    const below = (i: number) => [`a${i - 1}`, `b${i - 1}`, `a${i - 1}`, `b${i - 1}`];
    const segments = layers.flatMap((i) =>
      ['a', 'b'].map((side): Segment => {
        const nested = below(i).map((id): Condition => ({ operator: 'inSegment', values: [id] }));
        return { id: `${side}${i}`, match: 'any', conditions: i === 0 ? conditions : nested };
      }),
    );
    const flags = layers.flatMap((i) =>
      ['a', 'b'].map((side) => {
        return flag(`${side}${i}`, {
          prerequisites: i === 0 ? [] : below(i).map((key) => ({ flag: key, value: true })),
        });
      }),
    );
    const top = { id: 'r1', conditions: [{ operator: 'inSegment' as const, values: ['a39'] }], value: true };
    const set = compileFlags([...flags, flag('f', { value: false, rules: [top] })], segments, { regex });
    expect(set.evaluate('f', { plan: 'free' })?.value).toBe(false);
    expect(set.evaluate('f', { plan: 'pro' })?.value).toBe(true);
    expect(set.evaluate('a39', {})?.value).toBe(true);
  });
});
