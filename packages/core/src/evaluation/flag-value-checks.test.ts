import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import type { FlagFormat, JsonSchema, Rule, SplitEntry } from '../api/targeting.ts';
import { type CheckableFlag, checkFlags } from './flag-checks.ts';
import { ruleRegex } from './rule-regex.ts';

const regex = ruleRegex(RE2JS);

/** Knows only minimums, of numbers and of prices. */
function schemaComplaint({ minimum, properties }: JsonSchema, value: unknown): string | undefined {
  const inner = properties as { price: { minimum: number } } | undefined;
  const [least, number] = inner
    ? [inner.price.minimum, (value as { price: number }).price]
    : [minimum, value];
  return Number(number) < Number(least) ? 'is too small' : undefined;
}

function check(...flags: CheckableFlag[]): [string, string][] {
  return checkFlags({ flags, segments: [] }, { regex, schemaComplaint }).map(({ path, message }) => [
    path,
    message,
  ]);
}

const PRODUCTION = '/flags/0/environments/production';
const RULE = `${PRODUCTION}/rules/0`;

describe('what a rule serves', () => {
  const withRule = (rule: Partial<Rule>): CheckableFlag => ({
    key: 'f',
    type: 'boolean',
    defaultValue: false,
    environments: { production: { rules: [{ id: 'r', ...rule }] } },
  });
  const on: SplitEntry = { value: true, weight: 1 };
  const off: SplitEntry = { value: false, weight: 1 };

  it.each<[string, Partial<Rule>]>([
    ['a value', { value: true }],
    ['a split', { split: [on, off] }],
    ['an entry without a weight', { split: [on, { ...off, weight: 0 }] }],
    ['keys', { split: [on, { ...off, key: 'off' }, { ...off, key: '3' }] }],
  ])('accepts %s', (_, rule) => expect(check(withRule(rule))).toEqual([]));

  const duplicate = (name: string) =>
    `duplicate variant "${name}": entries without a key are named by their position, from 0`;

  it.each<[string, Partial<Rule>, [string, string][]]>([
    ['neither', {}, [['/value', 'is missing: a rule needs a value or a split']]],
    [
      'both',
      { value: true, split: [on, off] },
      [['/value', 'cannot be combined with a split: the split has the values']],
    ],
    [
      'a text in a split',
      { split: [on, { value: 'no', weight: 1 }] },
      [['/split/1/value', 'must be a boolean']],
    ],
    [
      'no weight at all',
      {
        split: [
          { ...on, weight: 0 },
          { ...off, weight: 0 },
        ],
      },
      [['/split', 'needs an entry with a weight above 0']],
    ],
    [
      'the same key twice',
      { split: [{ ...on, key: 'a' }, off, { ...off, key: 'a' }] },
      [['/split/2/key', duplicate('a')]],
    ],
    ['a key like a position', { split: [on, { ...off, key: '0' }] }, [['/split/1/key', duplicate('0')]]],
  ])('reports %s', (_, rule, expected) => {
    expect(check(withRule(rule))).toEqual(expected.map(([path, message]) => [RULE + path, message]));
  });
});

describe('formats', () => {
  const PRICES: JsonSchema = { type: 'object', properties: { price: { type: 'number', minimum: 0 } } };

  function textFlag(format: FlagFormat, value: string, schema?: JsonSchema): CheckableFlag {
    return {
      key: 'f',
      type: 'string',
      format,
      schema,
      defaultValue: value,
      environments: {
        production: {
          value,
          rules: [
            { id: 'r', value },
            {
              id: 's',
              split: [
                { value, weight: 1 },
                { value, weight: 1 },
              ],
            },
          ],
        },
      },
    };
  }

  /** Everywhere, where the flag has a value. */
  const everywhere = (message: string) =>
    [
      '/flags/0/defaultValue',
      '/value',
      '/rules/0/value',
      '/rules/1/split/0/value',
      '/rules/1/split/1/value',
    ].map((path) => [path.startsWith('/flags') ? path : PRODUCTION + path, message]);

  it.each<[FlagFormat, string, JsonSchema?]>([
    ['number', '12.5'],
    ['number', '-1e3'],
    ['number', '5', { minimum: 5 }],
    ['json', '{"price": 5}'],
    ['json', 'null'],
    ['json', '"text"'],
    ['json', '{"price": 5}', PRICES],
  ])('accept %s: %s', (format, value, schema) => {
    expect(check(textFlag(format, value, schema))).toEqual([]);
  });

  const NO_NUMBER = 'must be the text of a number such as 12.5: the format of the flag is number';
  const NO_JSON = 'must be the text of JSON: the format of the flag is json';

  it.each<[FlagFormat, string, string, JsonSchema?]>([
    ['number', '', NO_NUMBER],
    ['number', '1,5', NO_NUMBER],
    ['number', '1e999', NO_NUMBER],
    ['number', 'NaN', NO_NUMBER],
    ['number', '"5"', NO_NUMBER],
    ['number', '4', 'is too small', { minimum: 5 }],
    ['json', '', NO_JSON],
    ['json', "{'price': 5}", NO_JSON],
    ['json', '['.repeat(8000), NO_JSON],
    ['json', '{"price": -1}', 'is too small', PRICES],
  ])('refuse %s: %j', (format, value, message, schema) => {
    expect(check(textFlag(format, value, schema))).toEqual(everywhere(message));
  });

  it('need flags of type string, and schemas need a format', () => {
    const flag = { key: 'f', defaultValue: 'x', environments: {} };
    expect(check({ ...flag, type: 'boolean', defaultValue: true, format: 'json' })).toEqual([
      ['/flags/0/format', 'is only possible for flags of type string'],
    ]);
    expect(check({ ...flag, type: 'string', schema: { type: 'string' } })).toEqual([
      ['/flags/0/schema', 'requires the format number or json'],
    ]);
  });

  it('report a schema that is not valid, and not its values', () => {
    expect(check(textFlag('json', 'no JSON', { type: 'strin' }))).toEqual([
      [
        '/flags/0/schema/type',
        'must be one of string, number, integer, boolean, object, array, null, or a list of them',
      ],
    ]);
  });

  it('apply to prerequisites, whatever the schema of their flag', () => {
    const target = { ...textFlag('number', '5', { type: 'strin' }), key: 'target' };
    const prerequisites = [{ flag: 'target', value: 'five' }];
    const flag = { ...textFlag('json', '{}'), environments: { production: { prerequisites } } };
    expect(check(flag, target)[0]).toEqual([`${PRODUCTION}/prerequisites/0/value`, NO_NUMBER]);
  });
});
