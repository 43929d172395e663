import { describe, expect, it } from 'vitest';
import { convertedOnce, countsOf, groupOf, inputOf, sumsOf } from '../../testing/report-cases.ts';
import {
  addCounts,
  addGoalSums,
  botCounts,
  countVisitors,
  exposureCounts,
  firstCounts,
  NONE_BEFORE,
  noVariationCounts,
  totalVisitors,
  variationCounts,
} from './report-counts.ts';
import type { ReportGoalSums, ReportSums, VisitorsBefore } from './report-input.ts';
import { comparedStrata } from './report-strata.ts';

const beforeOf = (first: number): VisitorsBefore => ({
  known: first,
  sessions: first + 1,
  sessionsSquares: first + 2,
  revenue: first + 3,
  revenueSquares: first + 4,
  knownRevenue: first + 5,
  product: first + 6,
});

const sumsFrom = (first: number): ReportSums => ({
  sum: first,
  sumSquares: first + 1,
  covariateSum: first + 2,
  covariateSumSquares: first + 3,
  covariateProduct: first + 4,
  knownSum: first + 5,
  sessionsProduct: first + 6,
  revenueProduct: first + 7,
  covariateKnown: first + 8,
  covariateSessions: first + 9,
  covariateRevenue: first + 10,
});

const goalSumsFrom = (first: number): ReportGoalSums => ({
  goalId: 'signup',
  converted: first,
  conversions: sumsFrom(first + 100),
  amount: sumsFrom(first + 200),
  convertedAmount: first + 1,
  convertedCovariate: first + 2,
  convertedKnown: first + 3,
  convertedSessions: first + 4,
  convertedRevenue: first + 5,
});

/** Adds up all numbers of objects of the same shape. */
function added<T>(a: T, b: T): T {
  if (typeof a === 'number') return (a + (b as number)) as T;
  if (typeof a !== 'object') return a;
  const entries = Object.entries(a as object);
  return Object.fromEntries(entries.map(([k, v]) => [k, added(v, (b as Record<string, unknown>)[k])])) as T;
}

describe('sums of a goal', () => {
  it('are added member by member', () => {
    const [a, b] = [goalSumsFrom(1), goalSumsFrom(1000)];
    expect(addGoalSums(a, b)).toEqual(added(a, b));
    expect(addGoalSums(undefined, b)).toEqual(b);
  });

  it('count members that are missing as zero', () => {
    const sum = addGoalSums(convertedOnce('signup', 3), convertedOnce('signup', 4));
    expect(sum).toMatchObject({ converted: 7, convertedKnown: 0, convertedSessions: 0, convertedRevenue: 0 });
    expect(sum.conversions).toMatchObject({ sum: 7, sumSquares: 7, knownSum: 0, covariateRevenue: 0 });
  });

  it('have amounts in whole micro-dollars', () => {
    const paid = (dollars: number) => sumsOf('x', { amount: { sum: dollars }, convertedAmount: dollars });
    const sum = addGoalSums(paid(0.1), paid(0.2));
    expect([sum.amount.sum, sum.convertedAmount]).toEqual([0.3, 0.3]);
  });
});

describe('counts of the variations', () => {
  it('are in their order, and sum up groups of the same variation', () => {
    const groups = [
      groupOf('b', 30, { before: beforeOf(10), goals: [goalSumsFrom(1)] }),
      groupOf('b', 12, { before: beforeOf(500), goals: [goalSumsFrom(70), convertedOnce('other', 5)] }),
      groupOf('b', 1, { before: null }),
      groupOf('gone', 99),
    ];
    const [control, b, ...more] = variationCounts(inputOf(groups));
    expect(more).toEqual([]);
    expect(control).toMatchObject({ key: 'control', visitors: 0, goals: new Map() });
    expect(control!.before).toEqual(NONE_BEFORE);
    expect(b).toMatchObject({ key: 'b', visitors: 43, before: added(beforeOf(10), beforeOf(500)) });
    expect([...b!.goals.keys()]).toEqual(['signup', 'other']);
    expect(b!.goals.get('signup')).toEqual(added(goalSumsFrom(1), goalSumsFrom(70)));
    expect(b!.goals.get('other')).toMatchObject({ goalId: 'other', converted: 5 });
    expect(totalVisitors([control!, b!])).toBe(43);
  });

  it('leave out visitors who saw several or have moved, and bots unless they are included', () => {
    const groups = [
      groupOf('b', 1),
      groupOf(null, 10),
      groupOf('b', 100, { moved: true }),
      groupOf('b', 1000, { bot: true }),
    ];
    expect(variationCounts(inputOf(groups))[1]!.visitors).toBe(1);
    expect(variationCounts(inputOf(groups, { includeBots: true }))[1]!.visitors).toBe(1001);
    expect(variationCounts(inputOf(groups), ({ bot }) => bot)[1]!.visitors).toBe(0);
  });

  it('have strata by phase and segment, in the same order for all variations', () => {
    const groups = [
      groupOf('b', 1, { segment: 'us' }),
      groupOf('b', 2, { returning: true }),
      groupOf('control', 4, { segment: 'de' }),
      groupOf('b', 8),
      groupOf('b', 16, { segment: 'de' }),
      groupOf('b', 32, { segment: 'us', returning: true }),
      groupOf('b', 64, { other: true }),
      groupOf('b', 128, { segment: null, returning: false, other: false }),
      groupOf('b', 256, { segment: 'de' }),
    ];
    const [control, b] = variationCounts(inputOf(groups));
    const sizes = (counts: typeof control) => counts!.strata.map(({ visitors }) => visitors);
    // New visitors by segment, those without one last, then returning ones.
    expect(sizes(b)).toEqual([272, 1, 136, 64, 32, 2]);
    expect(sizes(control)).toEqual([4, 0, 0, 0, 0, 0]);
  });

  it('can start with zero', () => {
    const none = noVariationCounts(inputOf([groupOf('b', 3)]));
    expect([...none]).toEqual([
      ['control', countsOf('control', 0)],
      ['b', countsOf('b', 0)],
    ]);
  });
});

describe('strata that are compared', () => {
  const stratum = (key: string, visitors: number, known = 0) =>
    countsOf(key, visitors, {
      before: { ...beforeOf(0), known },
      goals: new Map([['signup', convertedOnce('signup', visitors / 5)]]),
    });
  const strataOf = (control: number[], b: number[]) =>
    [control, b].map((all, index) => {
      const key = ['control', 'b'][index]!;
      const total = all.reduce((sum, visitors) => sum + visitors, 0);
      return countsOf(key, total, { strata: all.map((visitors) => stratum(key, visitors, 1)) });
    });
  const compared = (control: number[], b: number[]) =>
    comparedStrata(strataOf(control, b)).map((arms) => arms.map(({ visitors }) => visitors));

  it('have at least 25 visitors of each variation', () => {
    expect(compared([25, 70], [25, 25])).toEqual([
      [25, 25],
      [70, 25],
    ]);
    expect(compared([24, 70], [25, 25])).toEqual([[94, 50]]);
  });

  it('are small ones together, if those are enough', () => {
    expect(compared([80, 20, 10, 5], [90, 10, 10, 10])).toEqual([
      [80, 90],
      [35, 30],
    ]);
  });

  it('are small ones with the largest one, if they are not enough', () => {
    expect(compared([40, 60, 50, 10], [40, 60, 50, 200])).toEqual([
      [70, 260],
      [50, 50],
      [40, 40],
    ]);
  });

  it('are all visitors if every one is small', () => {
    const counts = strataOf([20, 10], [20, 10]);
    expect(comparedStrata(counts)).toEqual([counts]);
    expect(comparedStrata([])).toEqual([[]]);
  });

  it('do not need visitors of a variation that has none at all', () => {
    expect(compared([0, 0], [30, 40])).toEqual([
      [0, 30],
      [0, 40],
    ]);
  });

  it('are added up with all of their sums', () => {
    const sum = addCounts([stratum('b', 10, 3), stratum('b', 25, 4), countsOf('b', 1)]);
    expect(sum).toMatchObject({ key: 'b', visitors: 36, before: { known: 7, sessions: 2, product: 12 } });
    expect(sum.goals.get('signup')).toMatchObject({ goalId: 'signup', converted: 7 });
  });
});

describe('further counts', () => {
  const input = inputOf([
    groupOf('b', 1),
    groupOf('b', 2, { bot: true }),
    groupOf('b', 4, { bot: true }),
    groupOf('control', 8, { bot: true, moved: true }),
    groupOf(null, 16, { bot: true }),
    groupOf('b', 32, { firstVariationKey: 'control' }),
    groupOf(null, 64, { firstVariationKey: 'control' }),
    groupOf('b', 128, { moved: true }),
    groupOf(null, 256),
  ]);

  it('of bots leave out moved visitors', () => {
    expect([...botCounts(input)]).toEqual([
      ['b', 6],
      [null, 16],
    ]);
  });

  it('of what visitors saw first include all who saw something', () => {
    expect([...firstCounts(input)]).toEqual([
      ['b', 129],
      ['control', 96],
    ]);
    expect(firstCounts({ ...input, includeBots: true }).get('b')).toBe(135);
  });

  it('of visitors that match leave out bots, unless they are included', () => {
    const mixed = ({ variationKey }: { variationKey: string | null }) => variationKey === null;
    expect(countVisitors(input, mixed)).toBe(320);
    expect(countVisitors({ ...input, includeBots: true }, mixed)).toBe(336);
  });

  it('of exposures leave out bots, unless they are included', () => {
    const exposures = [
      { at: 0, variationKey: 'b', bot: false, exposures: 1 },
      { at: 1, variationKey: 'b', bot: false, exposures: 2 },
      { at: 1, variationKey: 'b', bot: true, exposures: 4 },
      { at: 1, variationKey: 'control', bot: false, exposures: 8 },
    ];
    expect([...exposureCounts({ ...input, exposures })]).toEqual([
      ['b', 3],
      ['control', 8],
    ]);
    expect(exposureCounts({ ...input, exposures, includeBots: true }).get('b')).toBe(7);
  });
});
