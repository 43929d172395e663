import { describe, expect, it } from 'vitest';
import { incompleteBeta } from './beta.ts';
import { normalSurvival, normalUpperQuantile } from './normal.ts';
import { deviance } from './stirling.ts';
import { studentTwoSided } from './student-t.ts';

// What `reference.test.ts` does not cover: ends, symmetry, and where a formula takes over from another one.

describe('normal distribution', () => {
  it('has quantiles for all probabilities', () => {
    expect(normalUpperQuantile(0)).toBe(Infinity);
    expect(normalUpperQuantile(0.5)).toBe(0);
    expect(normalUpperQuantile(0.75)).toBe(-normalUpperQuantile(0.25));
    expect(normalUpperQuantile(1)).toBe(-Infinity);
  });

  it('has tails without end', () => {
    expect(normalSurvival(Infinity)).toBe(0);
    expect(normalSurvival(-Infinity)).toBe(1);
  });
});

describe('deviance', () => {
  // x log(x / mean) + mean - x, where the quotient overflows or underflows.
  it.each([
    [1e200, 1e-200, 1e200 * (400 * Math.LN10) - 1e200],
    [1e-200, 1e200, 1e200],
  ])('of %d from %d is finite', (x, mean, expected) => {
    expect(deviance(x, mean) / expected).toBeCloseTo(1, 14);
  });
});

it('the beta distribution has nothing beyond its ends', () => {
  expect(incompleteBeta(2, 3, 0)).toEqual({ lower: 0, upper: 1 });
  expect(incompleteBeta(2, 3, 1)).toEqual({ lower: 1, upper: 0 });
  // Closer to the end than 1 - x can tell.
  expect(incompleteBeta(2, 3, 1, 1e-30).upper / 4e-90).toBeCloseTo(1, 12);
});

it('a t beyond what numbers can square has no tail', () => {
  expect(studentTwoSided(1e200, 5)).toBe(0);
});
