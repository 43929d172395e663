import { describe, expect, it } from 'vitest';
import { findRoot } from './find-root.ts';

/** The root, and how often the function was called. */
function search(f: (x: number) => number, guess: number, width?: number): { root: number; calls: number } {
  let calls = 0;
  const counted = (x: number) => {
    calls += 1;
    return f(x);
  };
  return { root: findRoot(counted, guess, width), calls };
}

describe('findRoot', () => {
  // Two calls more than it takes. Only bisecting takes 53 for the first one.
  it.each([
    ['around the guess', 0.9, 1, 16],
    ['far above it', -3000, 1, 42],
    ['far below it', 3000, 1, 44],
    ['in a narrow search', 0.9, 1e-3, 21],
  ])('finds a root %s, to the last digit, in few calls', (_where, guess, width, maxCalls) => {
    const { root, calls } = search((x) => x ** 3 - 2, guess, width);
    expect(Math.abs(root - Math.cbrt(2))).toBeLessThanOrEqual(Number.EPSILON);
    expect(calls).toBeLessThanOrEqual(maxCalls);
  });

  it('ends at an exact root, wherever it meets one', () => {
    expect(search((x) => x - 4, 5)).toEqual({ root: 4, calls: 2 });
    expect(search((x) => x - 6, 5)).toEqual({ root: 6, calls: 2 });
    // Two ends, then their middle.
    expect(search((x) => x - 5, 5)).toEqual({ root: 5, calls: 3 });
    expect(search((x) => x - 2, 5)).toEqual({ root: 2, calls: 5 });
    expect(search((x) => x - 8, 5)).toEqual({ root: 8, calls: 5 });
  });

  it('bisects where the function is infinite', () => {
    const { root, calls } = search((x) => (x < 0.7 ? -Infinity : x > 0.8 ? Infinity : x - 0.75), 0);
    expect(root).toBeCloseTo(0.75, 15);
    expect(calls).toBeLessThanOrEqual(7);
  });

  it('returns the side of a jump that is closer to zero', () => {
    const below = search((x) => (x < 0.3 ? -1 : 3), 0);
    expect(below.root).toBeLessThan(0.3);
    expect(below.calls).toBeLessThanOrEqual(69);
    expect(search((x) => (x < 0.3 ? -3 : 1), 0).root).toBeGreaterThanOrEqual(0.3);
  });

  it.each([
    [Number.NaN, 1],
    [Infinity, 1],
    [0, 0],
    [0, -1],
    [0, Number.NaN],
  ])('refuses to search around %d ± %d instead of searching for ever', (guess, width) => {
    expect(() => findRoot((x) => x, guess, width)).toThrow(new RangeError(`Cannot search around ${guess}.`));
  });
});
