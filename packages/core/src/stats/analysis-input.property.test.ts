import fc from 'fast-check';
import { expect, it } from 'vitest';
import { analyse, METHODS } from './analysis.ts';
import { readAnalysis } from './analysis-input.ts';

const SEED = 1729;

const MEAN = {
  method: 'sequential',
  metric: 'mean',
  control: 'a',
  variations: [
    { key: 'a', n: 3, sum: 6, sumSquares: 14 },
    { key: 'b', n: 3, sum: -1, sumSquares: 9 },
  ],
};

it(`an input is either rejected or analysed without NaN (seed ${SEED})`, () => {
  const number = fc.oneof(fc.double(), fc.integer({ min: -3, max: 50 }), fc.constantFrom(1e300, null, 'x'));
  const names = ['n', 'sum', 'sumSquares', 'covariateSum', 'covariateSumSquares', 'covariateProduct', 'key'];
  const change = fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(...names), number);
  const changes = fc.array(change, { maxLength: 3 });
  const settings = fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom('mean', 'proportion'));
  fc.assert(
    fc.property(settings, changes, fc.anything(), ([method, metric], edits, weights) => {
      const variations = MEAN.variations.map((each) => ({ ...each }) as Record<string, unknown>);
      for (const [index, name, value] of edits) variations[index]![name] = value;
      const plan = method === 'group-sequential' ? { plannedVisitors: 12 } : {};
      const reading = readAnalysis({ ...MEAN, ...plan, method, metric, variations, weights });
      if ('mistakes' in reading) expect(reading.mistakes.length).toBeGreaterThan(0);
      else for (const { mean } of analyse(reading.analysis).variations) expect(mean).not.toBeNaN();
    }),
    { seed: SEED, numRuns: 2000 },
  );
});
