import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { convertedOnce, goalOf, groupOf } from '../../testing/report-cases.ts';
import { overlappingTests } from './overlap-report.ts';

const SEED = 20_261_119;
const OTHERS = 3;
const LOOKS = 28;
const VISITORS_PER_LOOK = 400;
const RATE = 0.2;

/** Whether an interaction is ever found in a test that is looked at daily, next to others that share all visitors. */
function findsInteraction(random: () => number, lift: number): boolean {
  // By other test: visitors and conversions by own variation and that of the other test.
  const cells = Array.from({ length: OTHERS }, () =>
    Array.from({ length: 4 }, () => ({ visitors: 0, converted: 0 })),
  );
  for (let look = 0; look < LOOKS; look++) {
    for (let visitor = 0; visitor < VISITORS_PER_LOOK; visitor++) {
      const own = random() < 0.5 ? 0 : 1;
      const seen = cells.map(() => (random() < 0.5 ? 0 : 1));
      // Both tests have an effect; only the first of the others changes that of the own one.
      const rate = RATE * (1 + 0.1 * own) * (1 + 0.1 * seen[0]!) * (1 + lift * own * seen[0]!);
      const converted = random() < rate ? 1 : 0;
      for (const [index, cell] of cells.entries()) {
        const counted = cell[2 * own + seen[index]!]!;
        counted.visitors++;
        counted.converted += converted;
      }
    }
    if (overlappingTests(cells.map(otherTest), 0.05).some(({ finding }) => finding === 'interaction'))
      return true;
  }
  return false;
}

const KEYS = ['control', 'b'];

function otherTest(cells: readonly { visitors: number; converted: number }[], index: number) {
  const groups = cells.map(({ visitors, converted }, position) =>
    groupOf(KEYS[position >> 1]!, visitors, {
      segment: KEYS[position % 2]!,
      goals: [convertedOnce('signup', converted)],
    }),
  );
  return {
    test: {
      splitTestKey: `${index}`,
      name: `${index}`,
      status: 'running' as const,
      phase: 1,
      from: 0,
      to: null,
    },
    variations: KEYS,
    retired: [],
    input: {
      variations: KEYS.map((key) => ({ key, weight: 1 })),
      goals: [goalOf('signup')],
      statistics: { ...DEFAULT_STATISTICS, engine: 'sequential' as const },
      smallestEffect: null,
      plannedVisitors: null,
      includeBots: false,
      groups,
      exposures: [],
      startedAt: 0,
      endedAt: null,
      asOf: 1,
    },
  };
}

const shareOf = (rounds: number, lift: number) => {
  const random = mulberry32(SEED);
  const found = Array.from({ length: rounds }, () => findsInteraction(random, lift));
  return found.filter(Boolean).length / rounds;
};

it(`finds an interaction by chance in at most 5 % of tests that are looked at daily (seed ${SEED})`, () => {
  expect(shareOf(Number(process.env.OVERLAP_ROUNDS ?? 60), 0)).toBeLessThanOrEqual(0.05);
});

it(`finds an effect that the other test reverses (seed ${SEED})`, () => {
  expect(shareOf(20, -0.5)).toBe(1);
});
