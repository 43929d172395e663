import { describe, expect, it } from 'vitest';
import { assign } from '../evaluation/assignment.ts';
import { sampleRatio } from '../stats/sample-ratio.ts';
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

  it('assign visitors anew: half of them move, and every split is even', () => {
    const visitors = Array.from({ length: 20_000 }, (_, index) => `visitor-${index}`);
    const sides = [742, 743].map((number) => {
      const test = aaTestOf({ hashSeed: 'seed' }, aaRound(number));
      return visitors.map((visitor) => assign(test, visitor));
    });
    for (const side of sides) {
      expect(side.every(({ included }) => included)).toBe(true);
      const b = side.filter(({ index }) => index === 1).length;
      expect(sampleRatio([visitors.length - b, b], [1, 1])!.pValue).toBeGreaterThan(0.01);
    }
    const moved = visitors.filter((_, at) => sides[0]![at]!.index !== sides[1]![at]!.index).length;
    expect(sampleRatio([visitors.length - moved, moved], [1, 1])!.pValue).toBeGreaterThan(0.01);
  });
});
