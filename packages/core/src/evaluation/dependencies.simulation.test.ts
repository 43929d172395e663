import { expect, it } from 'vitest';
import { MAX_NESTING, orderDependencies } from './dependencies.ts';

it('orders a chain of any length without overflowing the stack', () => {
  const length = 100_000;
  const edges = new Map(Array.from({ length }, (_, i) => [`n${i}`, [`n${i + 1}`]]));
  const { order, unresolvable } = orderDependencies(edges);
  expect(order).toHaveLength(length);
  expect(unresolvable.size).toBe(length - MAX_NESTING);
  expect(unresolvable.get('n0')).toBe('is nested deeper than 50 levels');
});
