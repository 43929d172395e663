import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MEAN } from '../testing/analysis-inputs.ts';
import { analyse, METHODS } from './analysis.ts';
import { readAnalysis } from './analysis-input.ts';

const SEED = 1729;

/** Numbers that no report can show. */
function notFinite(value: unknown): number[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(notFinite) : [];
}

it(`an input is either rejected or analysed without NaN or infinity (seed ${SEED})`, () => {
  const number = fc.oneof(
    fc.double(),
    fc.integer({ min: -3, max: 50 }),
    fc.constantFrom(1e300, Number.NaN, null, 'x'),
  );
  const names = ['n', 'sum', 'sumSquares', 'covariateSum', 'covariateSumSquares', 'covariateProduct', 'key'];
  const change = fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(...names), number);
  const changes = fc.array(change, { maxLength: 3 });
  const settings = fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom('mean', 'proportion'));
  // Nearly all other weights are rejected, whatever the sums are.
  const weights = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(undefined, [1, 1]) }, fc.anything());
  fc.assert(
    fc.property(settings, changes, weights, ([method, metric], edits, given) => {
      const variations = MEAN.variations.map((each) => ({ ...each }) as Record<string, unknown>);
      for (const [index, name, value] of edits) variations[index]![name] = value;
      const plan = method === 'group-sequential' ? { plannedVisitors: 12 } : {};
      const reading = readAnalysis({ ...MEAN, ...plan, method, metric, variations, weights: given });
      if ('mistakes' in reading) expect(reading.mistakes.length).toBeGreaterThan(0);
      else expect(notFinite(analyse(reading.analysis))).toEqual([]);
    }),
    { seed: SEED, numRuns: 2000 },
  );
});
