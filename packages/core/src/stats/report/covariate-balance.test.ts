import { describe, expect, it } from 'vitest';
import { countsOf, goalOf, sumsOf } from '../../testing/report-cases.ts';
import { covariateImbalance } from './covariate-balance.ts';
import { NONE_BEFORE, type VisitorCounts } from './report-counts.ts';
import type { VisitorsBefore } from './report-input.ts';

const KNOWN = { known: 1000, sessions: 3000, sessionsSquares: 8000, revenue: 40_000, revenueSquares: 2e6 };

const counts = (key: string, before: Partial<VisitorsBefore> = {}, more: Partial<VisitorCounts> = {}) =>
  countsOf(key, 2000, { before: { ...NONE_BEFORE, ...KNOWN, ...before }, ...more });

// The expected p-values come from the closed form of the always-valid test in Python, times the number of comparisons.
describe('an imbalance before the test', () => {
  it.each([
    ['visitors who were known', { known: 1150 }, 0.000_579_551_923_117],
    ['sessions', { sessions: 3500, sessionsSquares: 10_000 }, 3.273_246_183_863e-6],
    ['revenue', { revenue: 50_000, revenueSquares: 2.6e6 }, 2.767_726_756_167e-7],
  ])('of %s', (covariate, before, pValue) => {
    const found = covariateImbalance([counts('control'), counts('b'), counts('c', before)], []);
    expect(found).toEqual({ covariate, variation: 'c', pValue: expect.anything() });
    expect(found!.pValue / pValue).toBeCloseTo(1, 6);
  });

  it('is the worst one', () => {
    const both = [
      counts('control'),
      counts('b', { known: 1140 }),
      counts('c', { sessions: 3500, sessionsSquares: 10_000 }),
      counts('d', { known: 1150 }),
    ];
    expect(covariateImbalance(both, [])).toMatchObject({ covariate: 'sessions', variation: 'c' });
  });

  it('is one that chance causes less than once in 1,000 tests', () => {
    const known = (more: number) => covariateImbalance([counts('control'), counts('b', { known: more })], []);
    // Three comparisons: p-values of 0.0011 and 0.00029.
    expect(known(1140)).toBeNull();
    expect(known(1150)).toMatchObject({ variation: 'b' });
    expect(known(850)).toMatchObject({ variation: 'b' });
  });

  it('is null for a single variation, and without any spread', () => {
    expect(covariateImbalance([counts('control')], [])).toBeNull();
    const none = { known: 0, sessions: 0, sessionsSquares: 0, revenue: 0, revenueSquares: 0 };
    const all = { ...none, known: 2000 };
    expect(covariateImbalance([counts('control', none), counts('b', all)], [])).toBeNull();
    expect(
      covariateImbalance([counts('control', none), counts('b', { ...none, known: 1000 })], []),
    ).toBeNull();
    expect(
      covariateImbalance([counts('control', { ...none, known: 1000 }), counts('b', none)], []),
    ).toBeNull();
  });
});

describe('an imbalance of what a goal measures', () => {
  const before = (sum: number, sumSquares: number) => ({
    covariateSum: sum,
    covariateSumSquares: sumSquares,
  });
  const countsWith = (key: string, conversions: object, amount: object) =>
    counts(key, {}, { goals: new Map([['x', sumsOf('x', { conversions, amount })]]) });
  const control = () => countsWith('control', before(200, 260), before(5000, 90_000));
  const goals = [goalOf('other'), goalOf('x', { name: 'Sign-ups' })];

  it('is that of conversions for a goal that counts', () => {
    const found = covariateImbalance(
      [control(), countsWith('b', before(340, 440), before(5000, 90_000))],
      goals,
    );
    expect(found).toMatchObject({ covariate: 'Sign-ups', variation: 'b' });
    // Five comparisons: the two goals, known visitors, sessions and revenue.
    expect(found!.pValue / 8.307_335_878_448e-6).toBeCloseTo(1, 6);
    expect(
      covariateImbalance([control(), countsWith('b', before(200, 260), before(9000, 120_000))], goals),
    ).toBeNull();
  });

  it('is that of amounts for revenue', () => {
    const revenue = goals.map((goal) => ({ ...goal, kind: 'revenue' as const }));
    const found = covariateImbalance(
      [control(), countsWith('b', before(200, 260), before(7500, 140_000))],
      revenue,
    );
    expect(found).toMatchObject({ covariate: 'Sign-ups', variation: 'b' });
    expect(found!.pValue / 4.134_062_667_48e-6).toBeCloseTo(1, 6);
    expect(
      covariateImbalance([control(), countsWith('b', before(900, 920), before(5000, 90_000))], revenue),
    ).toBeNull();
  });
});

it('a different mix of strata is not an imbalance', () => {
  // Everybody in one stratum was known to 90 %, in the other to 10 %.
  const stratum = (key: string, visitors: number, known: number) =>
    countsOf(key, visitors, { before: { ...NONE_BEFORE, known } });
  const variation = (key: string, old: number, fresh: number) =>
    countsOf(key, old + fresh, {
      before: { ...NONE_BEFORE, known: 0.9 * old + 0.1 * fresh },
      strata: [stratum(key, old, 0.9 * old), stratum(key, fresh, 0.1 * fresh)],
    });
  const all = [variation('control', 3000, 1000), variation('b', 2000, 2000)];
  expect(covariateImbalance(all, [])).toBeNull();
  expect(
    covariateImbalance(
      all.map((it) => ({ ...it, strata: [] })),
      [],
    ),
  ).toMatchObject({ variation: 'b' });
});
