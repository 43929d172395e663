import { expect, it } from 'vitest';
import { assign } from '../evaluation/assignment.ts';
import { sampleRatio } from '../stats/sample-ratio.ts';
import { aaRound, aaTestOf } from './aa-test.ts';

it('rounds of the A/A test assign visitors anew: half of them move, and every split is even', () => {
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
