import { describe, expect, it } from 'vitest';
import { orderDependencies, reachableFrom } from './dependencies.ts';

function order(edges: Record<string, string[]>) {
  return orderDependencies(new Map(Object.entries(edges)));
}

const chainOf = (length: number) =>
  Array.from({ length }, (_, i): [string, string[]] => [`n${i}`, [`n${i + 1}`]]);

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

  it('rejects names that are nested deeper than 50 levels', () => {
    const chain = chainOf(52);
    const { order: names, unresolvable } = orderDependencies(new Map(chain));
    expect(names).toEqual(chain.map(([name]) => name).toReversed());
    expect([...unresolvable]).toEqual([
      ['n1', 'is nested deeper than 50 levels'],
      ['n0', 'is nested deeper than 50 levels'],
    ]);
  });

  it('counts the levels of the deepest dependency', () => {
    for (const targets of [
      ['n0', 'leaf'],
      ['leaf', 'n0'],
    ]) {
      const { unresolvable } = orderDependencies(new Map([...chainOf(50), ['leaf', []], ['root', targets]]));
      expect([...unresolvable.keys()]).toEqual(['root']);
    }
  });

  it('shows five members of a cycle, and the sixth is left out', () => {
    const cycle = (length: number) => {
      const names = Array.from({ length }, (_, i) => `n${i}`);
      const edges = names.map((name, i) => [name, [`n${(i + 1) % length}`]] as const);
      return orderDependencies(new Map(edges)).unresolvable.get('n0');
    };
    expect(cycle(5)).toBe('is part of a cycle: n0, n1, n2, n3, n4');
    expect(cycle(6)).toBe('is part of a cycle: n0, n1, n2, n3, n4, …');
  });

  it('finds two cycles that a path joins, and keeps them apart', () => {
    const { unresolvable } = order({ a: ['b', 'c'], b: ['a'], c: ['d'], d: ['c', 'e'], e: [] });
    expect(Object.fromEntries(unresolvable)).toEqual({
      a: 'is part of a cycle: a, b',
      b: 'is part of a cycle: a, b',
      c: 'is part of a cycle: c, d',
      d: 'is part of a cycle: c, d',
    });
  });

  it('does not join names to a cycle that was finished before', () => {
    const { order: names, unresolvable } = order({ a: ['b'], b: ['a'], c: ['a', 'd'], d: ['b'] });
    expect(names.slice(2)).toEqual(['d', 'c']);
    expect([...unresolvable.keys()].toSorted()).toEqual(['a', 'b']);
  });
});

describe('reachableFrom', () => {
  it('follows every name, once', () => {
    const targets: Record<string, string[]> = { a: ['b'], b: ['c', 'a'], c: [], d: ['a'] };
    expect([...reachableFrom(['a'], (name) => targets[name] ?? [])]).toEqual(['a', 'b', 'c']);
    expect([...reachableFrom([], () => ['a'])]).toEqual([]);
  });
});
