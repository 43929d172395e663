import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../api/targeting.ts';
import { checkSchema } from './flag-schema.ts';

const mistakes = (schema: unknown) => checkSchema(schema, '').map(({ path, message }) => [path, message]);

describe('checkSchema', () => {
  it('accepts schemas of the supported keywords', () => {
    const plan = {
      type: 'object',
      properties: { name: { type: 'string', pattern: '^[a-z]+$' }, price: { type: ['number', 'null'] } },
      required: ['name'],
      additionalProperties: false,
    };
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Pricing',
      type: 'object',
      properties: {
        plans: { type: 'array', items: plan, minItems: 1, uniqueItems: true },
        currency: { enum: ['EUR', 'USD'], default: 'EUR' },
        discount: { anyOf: [{ const: false }, { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 }] },
        anything: true,
      },
      propertyNames: { maxLength: 20 },
    };
    expect(mistakes(schema)).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    ['a list', [], '', 'must be a JSON schema: an object, true or false'],
    ['a type', { properties: { a: { type: 'text' } } }, '/properties/a/type', 'must be one of string,'],
    ['properties', { properties: [] }, '/properties', 'must be an object of schemas'],
    ['items', { items: 3 }, '/items', 'must be a JSON schema'],
    ['choices', { anyOf: [] }, '/anyOf', 'must be a list of schemas'],
    ['a choice', { anyOf: [{}, 7] }, '/anyOf/1', 'must be a JSON schema'],
    ['a count', { minItems: -1 }, '/minItems', 'must be a whole number from 0'],
    ['names', { required: 'a' }, '/required', 'must be a list of names'],
    ['a reference', { $ref: '#/$defs/a' }, '/$ref', 'is not supported: write the schema where it is used'],
    ['an unknown keyword', { 'a/b': 1 }, '/a~1b', 'is not supported: supported are $comment,'],
    ['an inherited name', { constructor: 1 }, '/constructor', 'is not supported'],
    ['a pattern', { pattern: '(' }, '/pattern', 'must be a regular expression'],
    ['a slow pattern', { pattern: '(a+)+$' }, '/pattern', 'must be a regular expression without lookarounds'],
    ['a pattern of another language', { pattern: '\\Aa' }, '/pattern', 'must be a regular expression'],
  ])('refuses %s', (_, schema, path, message) => {
    const found = mistakes(schema);
    expect(found).toEqual([[path, expect.stringContaining(message)]]);
  });

  it('refuses deep schemas', () => {
    let schema: JsonSchema = {};
    for (let depth = 0; depth < 1000; depth++) schema = { items: schema };
    const [mistake] = checkSchema(schema, '');
    expect(mistake?.message).toBe('is nested more than 32 levels deep');
  });
});
