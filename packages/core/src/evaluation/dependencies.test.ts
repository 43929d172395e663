import { describe, expect, it } from 'vitest';
import { MAX_NESTING, orderDependencies } from './dependencies.ts';

function order(edges: Record<string, string[]>) {
  return orderDependencies(new Map(Object.entries(edges)));
}

describe('orderDependencies', () => {
  it('puts dependencies first and ignores unknown names', () => {
    const { order: names, unresolvable } = order({ a: ['c', 'b', 'unknown'], b: ['c'], c: [] });
    expect(names).toEqual(['c', 'b', 'a']);
    expect(unresolvable.size).toBe(0);
  });

  it('rejects the members of cycles, but not names that depend on them', () => {
    const { unresolvable } = order({
      into: ['a'],
      a: ['b'],
      b: ['c'],
      c: ['a', 'out'],
      out: [],
      self: ['self'],
    });
    expect([...unresolvable]).toEqual([
      ['a', 'is part of a cycle: a, b, c'],
      ['b', 'is part of a cycle: a, b, c'],
      ['c', 'is part of a cycle: a, b, c'],
      ['self', 'is part of a cycle: self'],
    ]);
  });

  it('does not mistake a shared dependency for a cycle', () => {
    expect(order({ a: ['b', 'c'], b: ['d'], c: ['d', 'd'], d: [] }).unresolvable.size).toBe(0);
  });

  it('names a few members of a large cycle', () => {
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const { unresolvable } = orderDependencies(new Map(names.map((name, i) => [name, [`n${(i + 1) % 20}`]])));
    expect(unresolvable.get('n7')).toBe('is part of a cycle: n0, n1, n2, n3, n4, …');
  });

  it('handles a chain of any length and rejects names that are nested too deeply', () => {
    const length = 100_000;
    const edges = new Map(Array.from({ length }, (_, i) => [`n${i}`, [`n${i + 1}`]]));
    const { order: names, unresolvable } = orderDependencies(edges);
    expect(names).toHaveLength(length);
    expect(unresolvable.size).toBe(length - MAX_NESTING);
    expect(unresolvable.get('n0')).toBe('is nested deeper than 50 levels');
  });
});
