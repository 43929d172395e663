import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { expect, it } from 'vitest';
import { learnSpreads } from '../report/learned-prior.ts';
import { expectedEffect, expectedTogether } from './shrinkage.ts';

const SEED = 20_261_120;
const PROPERTIES = Number(process.env.LIBRARY_PROPERTIES ?? 400);

/**
 * Tests of properties whose true effects are normal; what is significant and better is shipped. The sums over all
 * shipped tests: what is true, observed and expected.
 */
function shipTests({ tests, sd, standardError }: { tests: number; sd: number; standardError: number }) {
  const random = mulberry32(SEED);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const sums = { shipped: 0, truth: 0, observed: 0, expected: 0, covered: 0, properties: 0 };
  for (let property = 0; property < PROPERTIES; property++) {
    const all = Array.from({ length: tests }, () => {
      const truth = sd * normal();
      return { truth, effect: { estimate: truth + standardError * normal(), standardError } };
    });
    const record = learnSpreads(all.map(({ effect }) => [effect]));
    const shipped = all.filter(({ effect }) => effect.estimate > 1.96 * standardError);
    if (shipped.length === 0) continue;
    const expected = shipped.map(({ effect }) => expectedEffect(effect, record));
    const total = expectedTogether(
      shipped.map(({ effect }) => effect),
      record,
    );
    const truth = shipped.reduce((product, it) => product * (1 + it.truth), 1) - 1;
    sums.properties++;
    sums.covered += truth >= total.low && truth <= total.high ? 1 : 0;
    sums.shipped += shipped.length;
    for (const [index, it] of shipped.entries()) {
      sums.truth += it.truth;
      sums.observed += it.effect.estimate;
      sums.expected += expected[index]!.estimate;
    }
  }
  return sums;
}

it.each([
  { tests: 50, sd: 0.03, standardError: 0.03 },
  { tests: 20, sd: 0.05, standardError: 0.03 },
  { tests: 50, sd: 0.02, standardError: 0.04 },
])(`shipped tests have less effect than observed, and as much as expected: %o (seed ${SEED})`, (settings) => {
  const { shipped, truth, observed, expected, covered, properties } = shipTests(settings);
  const about = {
    shipped,
    truth: truth / shipped,
    observed: observed / shipped,
    expected: expected / shipped,
    covered: covered / properties,
  };
  if (process.env.LIBRARY_PROPERTIES) console.log(settings, about);
  expect(observed / truth, JSON.stringify(about)).toBeGreaterThan(1.2);
  // With small tests, little is known of the spread of true effects, and some of the curse remains.
  expect(Math.abs(expected - truth) / (observed - truth), JSON.stringify(about)).toBeLessThan(0.1);
  expect(covered / properties, JSON.stringify(about)).toBeGreaterThan(0.9);
});
