import { expect, it } from 'vitest';
import { convertedOnce, goalOf, groupOf, inputOf } from '../../testing/report-cases.ts';
import { findHarm } from './harm.ts';

const SEED = 20_261_120;
const LOOKS = 20;
const VISITORS = 60;
const GOALS = [
  goalOf('signup'),
  goalOf('renewal', { role: 'guardrail', maxHarm: 0.02 }),
  goalOf('complaint', { role: 'guardrail', maxHarm: 0.02, lowerIsBetter: true }),
];
const VARIATIONS = ['control', 'b', 'c'];

/** The look at which a test is stopped; null if it is not. A new phase starts in the middle. */
function stopOf(random: () => number, rateOfB: number): { look: number; variation: string } | null {
  let counts: Record<string, number>[] = [];
  let visitors = 0;
  for (let look = 0; look < LOOKS; look++) {
    if (look % (LOOKS / 2) === 0) {
      counts = VARIATIONS.map(() => Object.fromEntries(GOALS.map(({ id }) => [id, 0])));
      visitors = 0;
    }
    visitors += VISITORS;
    for (const [arm, converted] of counts.entries()) {
      for (const { id } of GOALS) {
        const rate = arm === 1 && id === 'renewal' ? rateOfB : 0.2;
        for (let visitor = 0; visitor < VISITORS; visitor++) if (random() < rate) converted[id]! += 1;
      }
    }
    const groups = counts.map((converted, arm) =>
      groupOf(VARIATIONS[arm]!, visitors, {
        goals: Object.entries(converted).map(([id, count]) => convertedOnce(id, count)),
      }),
    );
    const variations = VARIATIONS.map((key) => ({ key, weight: 1 }));
    const phase = 1 + Math.floor((2 * look) / LOOKS);
    const [harm] = findHarm(inputOf(groups, { goals: GOALS, variations }), phase).harms;
    if (harm) return { look, variation: harm.variation };
  }
  return null;
}

it(`stops at most 5 % of the tests without harm, however often one looks (seed ${SEED})`, () => {
  const random = randomFrom(SEED);
  const tests = 150;
  const stops = Array.from({ length: tests }, () => stopOf(random, 0.2)).filter((stop) => stop !== null);
  expect(stops.length / tests).toBeLessThanOrEqual(0.05);
});

it(`stops what halves a guardrail, and names it (seed ${SEED})`, () => {
  const random = randomFrom(SEED);
  const stops = Array.from({ length: 40 }, () => stopOf(random, 0.1));
  expect(stops.filter((stop) => stop?.variation === 'b').length).toBeGreaterThanOrEqual(36);
});

/** A linear congruential generator; its high bits are random enough here. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
