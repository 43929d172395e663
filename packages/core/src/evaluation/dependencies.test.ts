import { describe, expect, it } from 'vitest';
import { MAX_NESTING, orderDependencies } from './dependencies.ts';

function order(edges: Record<string, string[]>) {
  return orderDependencies(new Map(Object.entries(edges)));
}

describe('orderDependencies', () => {
  it('puts dependencies first and leaves unknown names out', () => {
    const { order: names, refused } = order({ a: ['c', 'b', 'unknown'], b: ['c'], c: [] });
    expect(names).toEqual(['c', 'b', 'a']);
    expect(refused.size).toBe(0);
  });

  it('refuses the members of cycles, and nobody who merely leads to one', () => {
    const { refused } = order({ into: ['a'], a: ['b'], b: ['c'], c: ['a', 'out'], out: [], self: ['self'] });
    expect([...refused]).toEqual([
      ['a', 'is part of a cycle: a, b, c'],
      ['b', 'is part of a cycle: a, b, c'],
      ['c', 'is part of a cycle: a, b, c'],
      ['self', 'is part of a cycle: self'],
    ]);
  });

  it('does not take a shared dependency for a cycle', () => {
    expect(order({ a: ['b', 'c'], b: ['d'], c: ['d', 'd'], d: [] }).refused.size).toBe(0);
  });

  it('names a few members of a large cycle', () => {
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const { refused } = orderDependencies(new Map(names.map((name, i) => [name, [`n${(i + 1) % 20}`]])));
    expect(refused.get('n7')).toBe('is part of a cycle: n0, n1, n2, n3, n4, …');
  });

  it('survives a chain of any length and refuses what is nested too deeply', () => {
    const length = 100_000;
    const edges = new Map(Array.from({ length }, (_, i) => [`n${i}`, [`n${i + 1}`]]));
    const { order: names, refused } = orderDependencies(edges);
    expect(names).toHaveLength(length);
    expect(refused.size).toBe(length - MAX_NESTING);
    expect(refused.get('n0')).toBe('is nested deeper than 50 levels');
  });
});
