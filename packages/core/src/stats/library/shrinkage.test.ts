import { describe, expect, it } from 'vitest';
import { learnSpreads } from '../report/learned-prior.ts';
import { expectedEffect, expectedTogether, observedTogether } from './shrinkage.ts';

const KNOWN = [{ sd: 0.05, weight: 1 }];

// The expected values come from the closed forms of normal distributions in Python.
describe('what to expect from an effect', () => {
  it('is the observed effect, moved towards zero by how little the test knows', () => {
    const expected = expectedEffect({ estimate: 0.12, standardError: 0.05 }, KNOWN);
    expect(expected.estimate).toBeCloseTo(0.06, 12);
    expect((expected.high - expected.low) / 2).toBeCloseTo(0.069_295_191_217_483, 12);
    const precise = expectedEffect({ estimate: 0.12, standardError: 0.001 }, KNOWN);
    expect(precise.estimate).toBeCloseTo(0.119_952_019_192_323, 12);
  });

  it('considers that the record is not known exactly', () => {
    const effect = { estimate: 0.12, standardError: 0.05 };
    const spreads = [
      { sd: 0.02, weight: 0.5 },
      { sd: 0.1, weight: 0.5 },
    ];
    const expected = expectedEffect(effect, spreads);
    expect(expected.estimate).toBeCloseTo(0.056_275_862_068_966, 12);
    expect((expected.high - expected.low) / 2).toBeCloseTo(0.102_789_244_244_916, 12);
  });

  it('is never below -100 %', () => {
    expect(expectedEffect({ estimate: -0.95, standardError: 0.5 }, [{ sd: 1, weight: 1 }]).low).toBe(-1);
  });

  it('is cautious without a record, but believes a clear result', () => {
    const unusual = (estimate: number, standardError: number) => {
      const effect = { estimate, standardError };
      return expectedEffect(effect, learnSpreads([[effect]])).estimate / estimate;
    };
    expect(unusual(0.04, 0.03)).toBeGreaterThan(0.5);
    expect(unusual(0.04, 0.03)).toBeLessThan(0.9);
    expect(unusual(0.3, 0.03)).toBeGreaterThan(0.9);
    expect(unusual(2, 0.2)).toBeGreaterThan(0.7);
  });
});

describe('several changes together', () => {
  const EFFECTS = [
    { estimate: 0.1, standardError: 0.02 },
    { estimate: -0.05, standardError: 0.03 },
  ];

  it('are multiplied', () => {
    expect(observedTogether(EFFECTS)).toBeCloseTo(0.045, 12);
    const { estimate, low, high } = expectedTogether(EFFECTS, [{ sd: 1e9, weight: 1 }]);
    expect([estimate, low, high].map((it) => it.toFixed(9))).toEqual([
      '0.045000000',
      '-0.027030408',
      '0.122362928',
    ]);
  });

  it('count a fall to nothing as one by 99 %, which neither disappears nor outweighs everything', () => {
    const nothing = { estimate: -1, standardError: 0.02 };
    expect(observedTogether([nothing])).toBeCloseTo(-0.99, 12);
    expect(observedTogether([...EFFECTS, nothing])).toBeCloseTo(1.045 * 0.01 - 1, 12);
    // More than 100 % is possible for revenue with refunds.
    expect(observedTogether([{ estimate: -1.5, standardError: 0.02 }])).toBeCloseTo(-0.99, 12);
    const { estimate, low, high } = expectedTogether([nothing], [{ sd: 1e9, weight: 1 }]);
    expect(estimate).toBeCloseTo(-0.99, 9);
    // Of the factor 0.01, with an error of 0.02: exp(±1.96 · 2).
    expect(low).toBeCloseTo(0.01 * Math.exp(-1.96 * 2) - 1, 4);
    expect(high).toBeCloseTo(0.01 * Math.exp(1.96 * 2) - 1, 3);
  });

  it('change nothing if there are none', () => {
    expect(expectedTogether([], KNOWN)).toEqual({ estimate: 0, low: 0, high: 0 });
    expect(observedTogether([])).toBe(0);
  });
});
