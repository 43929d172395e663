import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import type {
  Condition,
  FlagConfiguration,
  Operator,
  Prerequisite,
  Rule,
  Segment,
} from '../api/targeting.ts';
import { type CheckableFlag, type CheckableTargeting, checkFlags } from './flag-checks.ts';
import { operatorKind } from './operators.ts';
import { ruleRegex } from './rule-regex.ts';

const regex = ruleRegex(RE2JS);
const schemaComplaint = () => undefined;

function check(flags: CheckableFlag[], segments: Segment[] = []): [string, string][] {
  return checkFlags({ flags, segments }, { regex, schemaComplaint }).map(({ path, message }) => [
    path,
    message,
  ]);
}

function flag(key: string, production: Partial<FlagConfiguration> = {}): CheckableFlag {
  return { key, type: 'boolean', defaultValue: false, environments: { production } };
}

function requiring(key: string, ...prerequisites: Prerequisite[]): CheckableFlag {
  return flag(key, { prerequisites });
}

/** The mistakes in one condition, with paths relative to it. */
function checkCondition(condition: Condition): [string, string][] {
  const prefix = '/flags/0/environments/production/rules/0/conditions/0';
  const rules: Rule[] = [{ id: 'r1', conditions: [condition], value: true }];
  const segments: Segment[] = [{ id: 'beta', conditions: [] }];
  return check([flag('f', { rules })], segments).map(([path, message]) => {
    expect(path.startsWith(prefix)).toBe(true);
    return [path.slice(prefix.length), message];
  });
}

const PRODUCTION = '/flags/0/environments/production';
const DATE = 'must be a date: ISO 8601 such as 2026-01-31T12:00:00Z, or Unix milliseconds';
const VERSION = 'must be a semantic version such as "1.2.3"';

describe('checkFlags on conditions', () => {
  it.each<[string, Condition]>([
    ['equals', { attribute: 'a', operator: 'equals', values: ['x', 5, true] }],
    ['isSet', { attribute: 'a', operator: 'isSet' }],
    ['isNotSet with values that nobody reads', { attribute: 'a', operator: 'isNotSet', values: ['x'] }],
    ['matches', { attribute: 'a', operator: 'matches', values: ['^a+$', 5] }],
    ['numbers', { attribute: 'a', operator: 'lessThan', values: [5] }],
    ['numeric text', { attribute: 'a', operator: 'greaterThanOrEqual', values: ['-5.5'] }],
    ['dates', { attribute: 'a', operator: 'before', values: ['2024-02-29'] }],
    ['milliseconds', { attribute: 'a', operator: 'after', values: [1704067200000] }],
    ['versions', { attribute: 'a', operator: 'semverLessThan', values: ['v1.2'] }],
    ['segments', { operator: 'inSegment', values: ['beta'] }],
  ])('accepts %s', (_, condition) => expect(checkCondition(condition)).toEqual([]));

  it.each<[string, Condition, [string, string][]]>([
    [
      'neither attribute nor value',
      { operator: 'equals' },
      [
        ['/attribute', 'operator equals requires an attribute'],
        ['/values', 'operator equals requires a value'],
      ],
    ],
    [
      'isSet without attribute',
      { operator: 'isSet' },
      [['/attribute', 'operator isSet requires an attribute']],
    ],
    [
      'inSegment without value',
      { operator: 'inSegment', values: [] },
      [['/values', 'operator inSegment requires a value']],
    ],
    [
      'no numbers',
      { attribute: 'a', operator: 'lessThan', values: ['ten', true] },
      [
        ['/values/0', 'must be a number'],
        ['/values/1', 'must be a number'],
      ],
    ],
    ['no date', { attribute: 'a', operator: 'after', values: ['2023-02-29'] }, [['/values/0', DATE]]],
    [
      'no version',
      { attribute: 'a', operator: 'semverEqual', values: ['1.2.3', 1.2] },
      [['/values/1', VERSION]],
    ],
    [
      'unknown segment',
      { operator: 'inSegment', values: ['beta', 'gamma'] },
      [['/values/1', 'unknown segment "gamma"']],
    ],
  ])('rejects %s', (_, condition, expected) => expect(checkCondition(condition)).toEqual(expected));

  it.each(['(', 'a(?=b)', '(a)\\1'])('rejects the pattern %s with the message of the compiler', (pattern) => {
    const [mistake, ...others] = checkCondition({
      attribute: 'a',
      operator: 'matches',
      values: ['ok', pattern],
    });
    expect(mistake?.[0]).toBe('/values/1');
    expect(mistake?.[1]).toMatch(/^invalid pattern: ./);
    expect(others).toEqual([]);
  });
});

describe('checkFlags on the values of an operator', () => {
  const wrong = (operator: Operator) => checkCondition({ attribute: 'a', operator, values: ['x'] });
  const { number, date, version } = { number: 'must be a number', date: DATE, version: VERSION };

  it.each<[Operator, string]>([
    ['lessThan', number],
    ['lessThanOrEqual', number],
    ['greaterThan', number],
    ['greaterThanOrEqual', number],
    ['before', date],
    ['after', date],
    ['semverEqual', version],
    ['semverLessThan', version],
    ['semverLessThanOrEqual', version],
    ['semverGreaterThan', version],
    ['semverGreaterThanOrEqual', version],
  ])('%s: %s', (operator, message) => expect(wrong(operator)).toEqual([['/values/0', message]]));

  it('asks for none if the operator only looks at whether there is an attribute', () => {
    expect(checkCondition({ attribute: 'a', operator: 'isSet' })).toEqual([]);
    expect(checkCondition({ attribute: 'a', operator: 'isNotSet' })).toEqual([]);
    expect(operatorKind('equals')).toBe('text');
  });
});

describe('checkFlags on patterns', () => {
  const refusing = (pattern: string, caseInsensitive: boolean) => {
    throw new Error(`${pattern} ${caseInsensitive}`);
  };
  const messages = (condition: Condition) =>
    checkFlags(
      { flags: [flag('f', { rules: [{ id: 'r', conditions: [condition], value: true }] })], segments: [] },
      { regex: refusing, schemaComplaint },
    ).map(({ message }) => message);

  it('compiles them with the case sensitivity of the condition', () => {
    const condition: Condition = { attribute: 'a', operator: 'matches', values: ['x'] };
    expect(messages(condition)).toEqual(['invalid pattern: x false']);
    expect(messages({ ...condition, caseInsensitive: true })).toEqual(['invalid pattern: x true']);
  });
});

describe('checkFlags on flags', () => {
  it('accepts empty flags and configurations', () => {
    expect(
      check([{ key: 'f', type: 'string', defaultValue: '', environments: { production: {}, staging: {} } }]),
    ).toEqual([]);
    expect(check([])).toEqual([]);
  });

  it('requires every value to have the type of its flag', () => {
    const rules = [{ id: 'r1', value: 'on' }];
    const text: CheckableFlag = { key: 's', type: 'string', defaultValue: 'x', environments: {} };
    const prerequisites = [{ flag: 's', value: true }];
    const wrong = { ...flag('f', { value: 'off', rules, prerequisites }), defaultValue: 'no' };
    expect(check([wrong, text])).toEqual([
      ['/flags/0/defaultValue', 'must be a boolean'],
      [`${PRODUCTION}/value`, 'must be a boolean'],
      [`${PRODUCTION}/rules/0/value`, 'must be a boolean'],
      [`${PRODUCTION}/prerequisites/0/value`, 'must be a string'],
    ]);
  });

  it('requires unique keys of flags and segments, and unique rule ids within a configuration', () => {
    const rules = [
      { id: 'r1', value: true },
      { id: 'r2', value: true },
      { id: 'r1', value: true },
    ];
    const f = {
      ...flag('f', { rules }),
      environments: { production: { rules }, staging: { rules: rules.slice(0, 2) } },
    };
    const segment: Segment = { id: 's', conditions: [] };
    expect(check([f, flag('f')], [segment, segment])).toEqual([
      ['/flags/1/key', 'duplicate flag "f"'],
      [`${PRODUCTION}/rules/2/id`, 'duplicate rule "r1"'],
      ['/segments/1/id', 'duplicate segment "s"'],
    ]);
  });

  it('rejects unknown prerequisites, including names of prototype members', () => {
    const prerequisites = ['g', 'constructor', '__proto__'].map((name) => ({ flag: name, value: true }));
    expect(check([requiring('f', ...prerequisites)])).toEqual([
      [`${PRODUCTION}/prerequisites/0/flag`, 'unknown flag "g"'],
      [`${PRODUCTION}/prerequisites/1/flag`, 'unknown flag "constructor"'],
      [`${PRODUCTION}/prerequisites/2/flag`, 'unknown flag "__proto__"'],
    ]);
  });

  it('rejects a cycle of prerequisites, but only within one environment', () => {
    const on = (name: string) => ({ flag: name, value: true });
    expect(check([requiring('a', on('b')), requiring('b', on('a')), requiring('c', on('a'))])).toEqual([
      ['/flags/0/environments/production/prerequisites', 'flag "a" is part of a cycle: a, b'],
      ['/flags/1/environments/production/prerequisites', 'flag "b" is part of a cycle: a, b'],
    ]);
    const staging: CheckableFlag = { ...flag('b'), environments: { staging: { prerequisites: [on('a')] } } };
    expect(check([requiring('a', on('b')), staging])).toEqual([]);
    expect(check([requiring('a', on('a'))])).toEqual([
      [`${PRODUCTION}/prerequisites`, 'flag "a" is part of a cycle: a'],
    ]);
  });

  it('escapes the names of environments in paths', () => {
    const odd = { ...flag('f'), environments: { 'a/b~c': { value: 'x' } } };
    expect(check([odd])).toEqual([['/flags/0/environments/a~1b~0c/value', 'must be a boolean']]);
  });
});

describe('checkFlags on segments', () => {
  it('checks their conditions and rejects cycles', () => {
    const inside = (id: string): Condition => ({ operator: 'inSegment', values: [id] });
    const segments: Segment[] = [
      { id: 'a', conditions: [inside('b')] },
      { id: 'b', conditions: [{ operator: 'equals', values: ['x'] }, inside('a'), inside('none')] },
      { id: 'c', conditions: [inside('a')] },
    ];
    expect(check([], segments)).toEqual([
      ['/segments/0/conditions', 'segment "a" is part of a cycle: a, b'],
      ['/segments/1/conditions/0/attribute', 'operator equals requires an attribute'],
      ['/segments/1/conditions/2/values/0', 'unknown segment "none"'],
      ['/segments/1/conditions', 'segment "b" is part of a cycle: a, b'],
    ]);
  });

  it('reports all mistakes of flags and segments at once', () => {
    const wrong = {
      ...flag('f', { rules: [{ id: 'r1', conditions: [{ operator: 'isSet' }], value: 'x' }] }),
      defaultValue: 'x',
    };
    expect(check([wrong], [{ id: 's', conditions: [{ operator: 'isSet' }] }])).toHaveLength(4);
  });
});

describe('checkFlags with known flags and segments', () => {
  const inSegment = (id: string): Condition => ({ operator: 'inSegment', values: [id] });
  const checkWith = (input: CheckableTargeting, known: CheckableTargeting) =>
    checkFlags(input, { regex, schemaComplaint, known }).map(({ path, message }) => [path, message]);

  it('lets the input refer to them, and checks only the input', () => {
    const rules: Rule[] = [{ id: 'r', conditions: [inSegment('beta'), inSegment('none')], value: true }];
    const broken = flag('broken', { value: 'text' as unknown as boolean });
    const added = flag('added', { rules, prerequisites: [{ flag: 'broken', value: 'wrong type' }] });
    const known = { flags: [broken], segments: [{ id: 'beta', conditions: [inSegment('gone')] }] };
    expect(checkWith({ flags: [added], segments: [] }, known)).toEqual([
      [`${PRODUCTION}/rules/0/conditions/1/values/0`, 'unknown segment "none"'],
      [`${PRODUCTION}/prerequisites/0/value`, 'must be a boolean'],
    ]);
  });

  it('finds cycles through them, at positions after the input', () => {
    const input = {
      flags: [requiring('a', { flag: 'b', value: true })],
      segments: [{ id: 's', conditions: [inSegment('t')] }],
    };
    const known = {
      flags: [flag('other'), requiring('b', { flag: 'a', value: true })],
      segments: [{ id: 't', conditions: [inSegment('s')] }],
    };
    expect(checkWith(input, known).map(([path]) => path)).toEqual([
      '/flags/0/environments/production/prerequisites',
      '/flags/2/environments/production/prerequisites',
      '/segments/0/conditions',
      '/segments/1/conditions',
    ]);
  });
});
