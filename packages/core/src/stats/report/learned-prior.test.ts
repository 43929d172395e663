import { expect, it } from 'vitest';
import { learnPrior, MIN_FINISHED_TESTS } from './learned-prior.ts';

const effects = (sd: number, standardError: number, tests: number) =>
  // Evenly spread quantiles of a uniform distribution with the wanted standard deviation.
  Array.from({ length: tests }, (_, index) => [
    {
      estimate: Math.sqrt(3 * (sd ** 2 + standardError ** 2)) * ((2 * index + 1) / tests - 1),
      standardError,
    },
  ]);

it('needs eight finished tests', () => {
  expect(learnPrior(effects(0.05, 0.01, MIN_FINISHED_TESTS - 1))).toBeUndefined();
  expect(learnPrior(effects(0.05, 0.01, MIN_FINISHED_TESTS))).toMatchObject({ mean: 0, tests: 8 });
  const unusable = [{ estimate: 0.1, standardError: 0 }];
  expect(learnPrior([...effects(0.05, 0.01, 7), unusable])).toBeUndefined();
  // Variations of one test are not tests.
  expect(learnPrior([...effects(0.05, 0.01, 6), effects(0.05, 0.01, 9).flat()])).toBeUndefined();
});

it('learns the spread of the true effects, without that of chance', () => {
  for (const sd of [0.02, 0.05, 0.1]) {
    const prior = learnPrior(effects(sd, 0.02, 200))!;
    expect(prior.sd / sd).toBeGreaterThan(0.85);
    expect(prior.sd / sd).toBeLessThan(1.15);
  }
});

it('never rules effects out, even if no test has found one', () => {
  const { sd } = learnPrior(effects(0, 0.05, 8))!;
  expect(sd).toBeGreaterThan(0.015);
  expect(sd).toBeLessThan(0.06);
});
