import { describe, expect, it } from 'vitest';
import { schemaComplaint } from './schema-complaint.ts';

describe('schemaComplaint', () => {
  it('says nothing about values that fit', () => {
    expect(schemaComplaint({ type: 'array', items: { type: 'integer' } }, [1, 2])).toBeUndefined();
  });

  it('names the places of the first mistakes', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
    expect(schemaComplaint(schema, { a: 1 })).toBe('does not fit the schema: /a must be string');
    const many = schemaComplaint({ items: { type: 'string' } }, [1, 2, 3, 4, 5]);
    expect(many).toBe(
      'does not fit the schema: /0 must be string; /1 must be string; /2 must be string, and more',
    );
  });
});
