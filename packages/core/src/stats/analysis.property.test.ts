import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumVisitors } from '../testing/sum-visitors.ts';
import { type Analysis, analyse, METHODS, type Method } from './analysis.ts';
import { type Comparison, excludesZero as excludes, type Interval } from './comparison.ts';
import { normalSurvival, normalUpperQuantile } from './distributions/normal.ts';
import { studentTwoSided, studentUpperQuantile } from './distributions/student-t.ts';
import { adjustPValues } from './multiple-testing.ts';

const SEED = 1729;
const options = { seed: SEED, numRuns: 500 };

const method = fc.constantFrom<Method>(...METHODS);
const alpha = fc.double({ min: 0.001, max: 0.3, noNaN: true });
const cents = fc.integer({ min: -100_00, max: 500_00 }).map((value) => value / 100);
const visitors = fc.array(cents, { minLength: 2, maxLength: 60 });
const converted = fc
  .integer({ min: 1, max: 20_000 })
  .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n })));

function means(method: Method, alpha: number, values: readonly (readonly number[])[]): Analysis {
  const variations = values.map((of, i) => ({ key: `v${i}`, ...sumVisitors(of) }));
  return { method, alpha, metric: 'mean', control: 'v0', variations };
}

function proportions(method: Method, alpha: number, counts: readonly (readonly number[])[]): Analysis {
  const variations = counts.map(([n, sum], i) => ({ key: `v${i}`, n: n!, sum: sum!, sumSquares: sum! }));
  return { method, alpha, metric: 'proportion', control: 'v0', variations };
}

const compare = (analysis: Analysis): Comparison => analyse(analysis).variations[1]!;

/** Null if zero is so close to the bound that rounding decides. */
function excludesZero({ low, high }: Interval): boolean | null {
  if (low === null || high === null) return null;
  const edge = 1e-9 * (high - low);
  return Math.abs(low) < edge || Math.abs(high) < edge ? null : excludes({ estimate: 0, low, high });
}

describe(`comparisons (seed ${SEED})`, () => {
  it('have intervals that contain the estimate, and no NaN', () => {
    const analysis = fc.oneof(
      fc.tuple(method, alpha, visitors, visitors).map(([m, a, x, y]) => means(m, a, [x, y])),
      fc.tuple(method, alpha, converted, converted).map(([m, a, x, y]) => proportions(m, a, [x, y])),
    );
    fc.assert(
      fc.property(analysis, (given) => {
        const { absolute, relative, ...rest } = compare(given);
        for (const interval of [absolute, relative]) {
          if (interval?.low == null || interval.high == null) continue;
          expect(interval.low).toBeLessThanOrEqual(interval.estimate);
          expect(interval.high).toBeGreaterThanOrEqual(interval.estimate);
        }
        expect(JSON.stringify([absolute, relative, rest])).not.toContain('NaN');
        for (const probability of [rest.pValue, rest.chanceToBeat]) {
          if (probability !== null) expect(probability >= 0 && probability <= 1).toBe(true);
        }
        expect(rest.expectedLoss ?? 0).toBeGreaterThanOrEqual(0);
      }),
      options,
    );
  });

  it('are mirrored if control and variation are swapped', () => {
    fc.assert(
      fc.property(method, alpha, visitors, visitors, (of, level, x, y) => {
        const [there, back] = [compare(means(of, level, [x, y])), compare(means(of, level, [y, x]))];
        close(back.absolute!.estimate, -there.absolute!.estimate, 1e-9 * 500);
        if (there.absolute!.low === null) return;
        close(back.absolute!.high!, -there.absolute!.low, 1e-7 * 500);
        if (there.pValue !== null) close(back.pValue!, there.pValue, 1e-9);
        if (there.chanceToBeat !== null) close(back.chanceToBeat!, 1 - there.chanceToBeat, 1e-9);
      }),
      options,
    );
  });

  it('do not depend on the currency', () => {
    fc.assert(
      fc.property(method, visitors, visitors, fc.constantFrom(0.25, 2, 1024), (of, x, y, rate) => {
        const [one, other] = [x, y].map((values) => values.map((value) => value * rate)) as [
          number[],
          number[],
        ];
        const [before, after] = [compare(means(of, 0.05, [x, y])), compare(means(of, 0.05, [one, other]))];
        expect(after.pValue).toBe(before.pValue);
        expect(after.chanceToBeat).toBe(before.chanceToBeat);
        expect(after.relative).toEqual(before.relative);
        expect(after.absolute!.high).toBe(
          before.absolute!.high === null ? null : before.absolute!.high * rate,
        );
      }),
      options,
    );
  });

  const looks = fc
    .uniqueArray(fc.integer({ min: 2, max: 40 }), { minLength: 1, maxLength: 5 })
    .map((all) => all.toSorted((x, y) => x - y).map((each) => each / 40))
    .map((fractions) => ({ fractions, current: fractions.length - 1, spending: 'pocock' as const }));

  /** Null if it is so close that rounding decides. */
  const agrees = (level: number, { absolute, relative, pValue }: Comparison) => {
    const outside = excludesZero(absolute!);
    if (outside === null) return;
    if (pValue !== null && Math.abs(pValue - level) > 1e-5 * level) expect(pValue < level).toBe(outside);
    if (relative !== null && isKnown(relative)) expect(excludes(relative)).toBe(outside);
  };
  const isKnown = ({ low, high }: Interval) => low !== null || high !== null;

  it('agree on a difference by absolute interval, relative interval and p-value', () => {
    fc.assert(
      fc.property(
        fc.tuple(method, alpha, looks),
        visitors,
        visitors,
        fc.double({ min: -300, max: 300, noNaN: true }),
        ([of, level, planned], x, y, shift) => {
          const moved = y.map((value) => value + shift);
          agrees(level, compare({ ...means(of, level, [x, moved]), looks: planned }));
        },
      ),
      options,
    );
    fc.assert(
      fc.property(method, alpha, looks, converted, converted, (of, level, planned, x, y) => {
        agrees(level, compare({ ...proportions(of, level, [x, y]), looks: planned }));
      }),
      { ...options, numRuns: 1000 },
    );
  });

  it('agree with a covariate too', () => {
    const withCovariate = fc.array(fc.tuple(cents, cents), { minLength: 3, maxLength: 40 });
    fc.assert(
      fc.property(method, alpha, withCovariate, withCovariate, (of, level, x, y) => {
        const variations = [x, y].map((pairs, i) => ({ key: `v${i}`, ...sumVisitors(pairs) }));
        agrees(level, compare({ method: of, alpha: level, metric: 'mean', control: 'v0', variations }));
      }),
      options,
    );
  });

  it('have a Bayesian chance above half exactly if the variation is ahead', () => {
    fc.assert(
      fc.property(visitors, visitors, (x, y) => {
        const { absolute, chanceToBeat, expectedLoss } = compare(means('bayesian', 0.05, [x, y]));
        if (chanceToBeat === null || absolute!.estimate === 0) return;
        expect(chanceToBeat > 0.5).toBe(absolute!.estimate > 0);
        expect(expectedLoss!).toBeGreaterThanOrEqual(Math.max(0, -absolute!.estimate));
      }),
      options,
    );
  });

  it('have wider intervals with the sequential method than with the frequentist one', () => {
    fc.assert(
      fc.property(alpha, converted, converted, (level, x, y) => {
        const [wide, narrow] = (['sequential', 'frequentist'] as const).map(
          (of) => compare(proportions(of, level, [x, y])).absolute!,
        );
        expect(wide!.low! - 1e-12).toBeLessThanOrEqual(narrow!.low!);
        expect(wide!.high! + 1e-12).toBeGreaterThanOrEqual(narrow!.high!);
      }),
      options,
    );
  });
});

describe(`adjusted p-values (seed ${SEED})`, () => {
  const pValue = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1e-300, 0.05, 1));
  const pValues = fc.array(fc.option(pValue), { maxLength: 30 });

  it('keep their order, are never smaller, and Holm never goes below Benjamini-Hochberg', () => {
    fc.assert(
      fc.property(pValues, (given) => {
        const [holm, bh] = [adjustPValues(given, 'holm'), adjustPValues(given, 'benjamini-hochberg')];
        expect(adjustPValues(given, 'none')).toEqual(given);
        for (const [i, p] of given.entries()) {
          expect(holm[i] === null).toBe(p === null);
          if (p === null) continue;
          expect(bh[i]).toBeGreaterThanOrEqual(p);
          expect(holm[i]).toBeGreaterThanOrEqual(bh[i]! * (1 - 1e-12));
          expect(holm[i]).toBeLessThanOrEqual(1);
          for (const [j, q] of given.entries()) {
            if (q === null || q < p) continue;
            expect(holm[j]).toBeGreaterThanOrEqual(holm[i]!);
            expect(bh[j]).toBeGreaterThanOrEqual(bh[i]!);
          }
        }
      }),
      options,
    );
  });
});

describe(`quantiles (seed ${SEED})`, () => {
  it('invert the tails', () => {
    const p = fc.double({ min: -280, max: Math.log10(0.49), noNaN: true }).map((exponent) => 10 ** exponent);
    fc.assert(
      fc.property(p, fc.double({ min: 3, max: 1e6, noNaN: true }), (tail, freedom) => {
        close(normalSurvival(normalUpperQuantile(tail)) / tail, 1, 1e-11);
        const t = studentUpperQuantile(tail, freedom);
        close(studentTwoSided(t, freedom) / 2 / tail, 1, 1e-10);
      }),
      options,
    );
  });
});

function close(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected), `${actual} instead of ${expected}`).toBeLessThanOrEqual(tolerance);
}
