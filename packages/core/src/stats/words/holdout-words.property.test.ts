import fc from 'fast-check';
import { expect, it } from 'vitest';
import { count, holdoutReportOf, revenue } from '../../testing/holdout-counts.ts';

const SEED = 20261118;

it(`texts of the holdout report never contain a figure that does not exist (seed ${SEED})`, () => {
  const size = fc.oneof(fc.nat(50), fc.nat(1_000_000));
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const goal = fc.record({
    shares: fc.tuple(share, share),
    dollars: fc.option(fc.integer({ min: -50, max: 500 })),
  });
  fc.assert(
    fc.property(
      fc.tuple(size, size),
      fc.array(goal, { maxLength: 4 }),
      fc.integer({ min: 1, max: 100 }),
      (visitors, goals, percentage) => {
        const counted = goals.map(({ shares, dollars }, index) => {
          const converted = [0, 1].map((group) => Math.round(visitors[group]! * shares[group]!));
          const pair = [converted[0]!, converted[1]!] as const;
          return dollars === null ? count(`${index}`, pair) : revenue(`${index}`, pair, dollars);
        });
        const { summary, goals: found } = holdoutReportOf(visitors, counted, {
          percentage,
          largest: percentage,
        });
        const text = [summary, ...found.map(({ words }) => words)].join('\n');
        expect(text).not.toMatch(/NaN|∞|Infinity|undefined|null/);
      },
    ),
    { seed: SEED, numRuns: 300 },
  );
});
