import { describe, expect, it } from 'vitest';
import { assign } from '../evaluation/assignment.ts';
import { DAY_MS } from '../time.ts';
import { aaRound, aaRoundAt, aaTestOf } from './aa-test.ts';

describe('rounds of the A/A test', () => {
  it('are 28 days long and numbered from the Unix epoch', () => {
    const start = Date.UTC(2026, 10, 19);
    expect(aaRoundAt(0)).toEqual({ number: 0, startedAt: 0, endsAt: 28 * DAY_MS });
    expect(start % (28 * DAY_MS)).toBe(0);
    expect(aaRoundAt(start)).toEqual({ number: 742, startedAt: start, endsAt: Date.UTC(2026, 11, 17) });
    expect(aaRoundAt(start - 1).number).toBe(741);
    expect(aaRoundAt(Date.UTC(2026, 11, 17) - 1)).toEqual(aaRound(742));
  });

  it('have a seed that no release may change, because visitors would move within a round', () => {
    expect(aaTestOf({ hashSeed: 'seed' }, aaRound(742)).hashSeed).toBe('seed:aa-test:742');
  });

  it('show everyone one of two variations with the same weight', () => {
    const test = aaTestOf({ hashSeed: 'seed' }, aaRound(742));
    const sides = Array.from({ length: 20 }, (_, index) => assign(test, `visitor-${index}`));
    expect(sides.every(({ included }) => included)).toBe(true);
    expect(new Set(sides.map(({ index }) => test.variations[index]!.key))).toEqual(new Set(['a', 'b']));
    expect(test.variations.map(({ weight }) => weight)).toEqual([50, 50]);
  });
});
