import { describe, expect, it } from 'vitest';
import { type FlagKind, KINDS, kindOf, valuesOf } from './flag-kinds.ts';

describe('the kind of a flag', () => {
  it.each(Object.keys(KINDS) as FlagKind[])('comes from its type and format: %s', (kind) => {
    expect(kindOf(valuesOf(kind))).toBe(kind);
    expect(typeof KINDS[kind].defaultValue).toBe(valuesOf(kind).type);
  });

  it('has no format for plain text, so that none is sent', () => {
    expect(JSON.stringify(valuesOf('text'))).toBe('{"type":"string"}');
    expect(JSON.stringify(valuesOf('json'))).toBe('{"type":"string","format":"json"}');
  });
});
