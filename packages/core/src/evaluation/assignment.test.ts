import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../cases/assignment.json' with { type: 'json' };
import { type AssignableTest, assign, type Holdout, isInHoldout } from './assignment.ts';
import { hashFraction } from './hash.ts';

const SEED = 1729;

interface Vector {
  name: string;
  test: AssignableTest;
  visitorId: string;
  userId?: string;
  holdout?: Holdout;
  draws: Record<'traffic' | 'variation', number> & Partial<Record<'holdout' | 'exclusion', number>>;
  expected: { included: boolean; index: number };
}

function test(hashSeed: string, weights: number[], trafficAllocation = 100): AssignableTest {
  return { hashSeed, trafficAllocation, variations: weights.map((weight, i) => ({ key: `v${i}`, weight })) };
}

describe('assignment vectors', () => {
  it.each(vectors.cases as Vector[])('$name', (vector) => {
    const { test: vectorTest, visitorId, userId, holdout, draws, expected } = vector;
    const unitId = (vectorTest.unit === 'user' && userId) || visitorId;
    if (holdout) expect(hashFraction(`holdout:${holdout.seed}:${visitorId}`)).toBe(draws.holdout);
    if (vectorTest.exclusion)
      expect(hashFraction(`exclusion:${vectorTest.exclusion.seed}:${visitorId}`)).toBe(draws.exclusion);
    expect(hashFraction(`${vectorTest.hashSeed}:traffic:${unitId}`)).toBe(draws.traffic);
    expect(hashFraction(`${vectorTest.hashSeed}:variation:${unitId}`)).toBe(draws.variation);
    expect(assign(vectorTest, visitorId, holdout, userId)).toEqual(expected);
  });
});

describe(`assignment properties (seed ${SEED})`, () => {
  const weights = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 8 });

  it('moves no included visitor when traffic is raised', () => {
    const percentage = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.string(), fc.string(), weights, percentage, percentage, (seed, visitorId, of, a, b) => {
        const before = assign(test(seed, of, Math.min(a, b)), visitorId);
        const after = assign(test(seed, of, Math.max(a, b)), visitorId);
        if (before.included) expect(after).toEqual(before);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('always draws a variation that has a weight, at any scale of weights', () => {
    const extreme = fc.constantFrom(0, Number.MIN_VALUE, 1e-300, 0.1, 1, 1e300, Number.MAX_VALUE);
    fc.assert(
      fc.property(fc.string(), fc.array(extreme, { minLength: 1, maxLength: 6 }), (visitorId, of) => {
        const { included, index } = assign(test('scale', of), visitorId);
        expect(included).toBe(of.some((weight) => weight > 0));
        if (included) expect(of[index]).toBeGreaterThan(0);
        else expect(index).toBe(0);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  // Ranges with arbitrary bounds in 0 to 100.
  const cuts = fc
    .uniqueArray(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 2, maxLength: 8 })
    .map((points) => points.sort((a, b) => a - b));

  it('gives a visitor at most one test of an exclusion group', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), cuts, (seed, visitorId, points) => {
        const group = points.slice(1).map((to, i) => {
          return { ...test(`test ${i}`, [1, 1]), exclusion: { seed, from: points[i]!, to } };
        });
        const included = group.filter((of) => assign(of, visitorId).included).length;
        const point = hashFraction(`exclusion:${seed}:${visitorId}`) * 100;
        expect(included).toBe(point >= points[0]! && point < points.at(-1)! ? 1 : 0);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('does not move included visitors when others are excluded', () => {
    const percentage = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        weights,
        percentage,
        cuts,
        (seed, visitorId, of, held, points) => {
          const exclusion = { seed, from: points[0]!, to: points[1]! };
          const plain = assign(test(seed, of), visitorId);
          const limited = assign({ ...test(seed, of), exclusion }, visitorId, { seed, percentage: held });
          expect(limited).toEqual(limited.included ? plain : { included: false, index: 0 });
        },
      ),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('keeps a held-out visitor in every larger holdout, in all tests', () => {
    const percentage = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.string(), fc.string(), percentage, percentage, (seed, visitorId, a, b) => {
        const heldOut = (hashSeed: string, held: number) =>
          !assign(test(hashSeed, [1, 1]), visitorId, { seed, percentage: held }).included;
        const small = heldOut('one', Math.min(a, b));
        expect(heldOut('another', Math.min(a, b))).toBe(small);
        if (small) expect(heldOut('one', Math.max(a, b))).toBe(true);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('includes nobody when there is no variation', () => {
    expect(assign(test('none', []), 'visitor-1')).toEqual({ included: false, index: 0 });
  });
});

describe('isInHoldout', () => {
  it('is the draw of the assignment', () => {
    for (const percentage of [0, 30, 100]) {
      const holdout = { seed: 'shop', percentage };
      for (let i = 0; i < 50; i++) {
        const { included } = assign(test('any', [1]), `visitor-${i}`, holdout);
        expect(isInHoldout(holdout, `visitor-${i}`)).toBe(!included);
      }
    }
    const point = hashFraction('holdout:shop:visitor-1') * 100;
    expect(isInHoldout({ seed: 'shop', percentage: point }, 'visitor-1')).toBe(false);
  });
});
