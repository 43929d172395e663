import { describe, expect, it } from 'vitest';
import { schemaOf, schemaText } from './schema-text.ts';

describe('the text of a schema', () => {
  it.each([
    ['', undefined],
    [' \n', undefined],
    ['{"type":"object"}', { type: 'object' }],
    ['{"type":', '{"type":'],
    ['null', 'null'],
    ['"object"', '"object"'],
  ])('%j becomes a schema, or stays a text', (text, schema) => {
    expect(schemaOf(text)).toEqual(schema);
  });

  it('does not change when it becomes a text again', () => {
    for (const schema of [undefined, { type: 'object', required: ['a'] }, '{"type":', '"object"']) {
      expect(schemaOf(schemaText(schema))).toEqual(schema);
    }
  });
});
