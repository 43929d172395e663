import type { AssignableTest } from '../evaluation/assignment.ts';
import { DAY_MS } from '../time.ts';

/** Key of the built-in A/A test: two identical variations, so that any difference is an error or chance. */
export const AA_TEST_KEY = 'aa-test';

export const AA_VARIATIONS = [
  { key: 'a', weight: 50 },
  { key: 'b', weight: 50 },
] as const;

export const AA_ROUND_DAYS = 28;
const ROUND_MS = AA_ROUND_DAYS * DAY_MS;

/** A period with an assignment of its own; rounds are numbered from the Unix epoch. */
export interface AaRound {
  readonly number: number;
  /** Unix milliseconds, midnight UTC. */
  readonly startedAt: number;
  /** Start of the next round. */
  readonly endsAt: number;
}

export function aaRound(number: number): AaRound {
  return { number, startedAt: number * ROUND_MS, endsAt: (number + 1) * ROUND_MS };
}

export function aaRoundAt(time: number): AaRound {
  return aaRound(Math.floor(time / ROUND_MS));
}

/** The test of a round. Its seed is new, so that an unlucky split does not last. */
export function aaTestOf(property: { readonly hashSeed: string }, round: AaRound): AssignableTest {
  return {
    hashSeed: `${property.hashSeed}:${AA_TEST_KEY}:${round.number}`,
    trafficAllocation: 100,
    variations: AA_VARIATIONS,
  };
}
