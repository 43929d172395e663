import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_STATISTICS, type StatisticsSettings } from '../api/statistics.ts';
import { metricGoal, metricGroup, metricInput, quantileOf } from '../testing/metric-cases.ts';
import { DAY_MS } from '../time.ts';
import { type Analysis, analyse, METHODS } from './analysis.ts';
import { planTest } from './planner.ts';
import { buildReport } from './report/report.ts';
import type { ReportGoal, ReportGroup, ReportInput, ReportMetric } from './report/report-input.ts';

const SEED = 20261118;
const RUNS = { seed: SEED, verbose: true };

/** From 0 to 1e9, most of them small. */
const visitors = fc.oneof(
  fc.constantFrom(0, 1, 2, 1e9),
  fc.double({ min: 0, max: 9, noNaN: true }).map((log) => Math.floor(10 ** log)),
);
/** A share of the planned visitors, from a millionth to all of them and more. */
const share = fc.oneof(
  fc.constantFrom(1e-6, 1, 1.5),
  fc.double({ min: -6, max: 0.2, noNaN: true }).map((log) => 10 ** log),
);
const rate = fc.oneof(
  fc.constantFrom(0, 1),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: -9, max: 0, noNaN: true }).map((log) => 10 ** log),
);
/** From -100 % to 1,000,000 %. */
const effect = fc.oneof(
  fc.constantFrom(-1, 0, 1e4),
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 4, noNaN: true }).map((log) => 10 ** log),
);
const alpha = fc.constantFrom(0.001, 0.05, 0.2);
const spending = fc.constantFrom('obrien-fleming' as const, 'pocock' as const);

/** Paths of all numbers that are not finite, and of p-values and probabilities outside of 0 to 1. */
function wrongFigures(value: unknown, path = 'result'): string[] {
  if (typeof value === 'number') {
    const isProbability = /(pValue|adjustedPValue|chanceToBeat)$/.test(path);
    const isWrong = !Number.isFinite(value) || (isProbability && (value < 0 || value > 1));
    return isWrong ? [`${path} = ${value}`] : [];
  }
  if (typeof value === 'string') return /NaN|∞|Infinity/.test(value) ? [`${path} = ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => wrongFigures(member, `${path}.${key}`));
}

const converted = (n: number, probability: number) => Math.round(n * Math.min(1, probability));

test('no figure of a comparison of rates is ever NaN or infinite', () => {
  fc.assert(
    fc.property(
      visitors,
      visitors,
      rate,
      effect,
      share,
      alpha,
      spending,
      fc.constantFrom(...METHODS),
      (n, otherN, base, change, fraction, level, spent, method) => {
        const sum = converted(n, base);
        const otherSum = converted(otherN, base * (1 + change));
        const result = analyse({
          method,
          metric: 'proportion',
          alpha: level,
          control: 'a',
          looks: { fraction, spending: spent },
          variations: [
            { key: 'a', n, sum, sumSquares: sum },
            { key: 'b', n: otherN, sum: otherSum, sumSquares: otherSum },
          ],
          weights: [1, 1],
        });
        expect(wrongFigures(result)).toEqual([]);
      },
    ),
    { ...RUNS, numRuns: 4000 },
  );
});

test('no figure of a comparison of means is ever NaN or infinite', () => {
  const spread = fc.oneof(fc.constantFrom(0, 1e-9, 1e12), fc.double({ min: 0, max: 1e6, noNaN: true }));
  fc.assert(
    fc.property(
      visitors,
      visitors,
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      effect,
      spread,
      share,
      spending,
      fc.constantFrom(...METHODS),
      (n, otherN, base, change, variance, fraction, spent, method) => {
        const sums = (size: number, mean: number) => ({
          n: size,
          sum: size * mean,
          sumSquares: size * (mean * mean + variance),
          covariates: { sums: [size], products: [[2 * size]], shared: [size * mean + Math.sqrt(variance)] },
        });
        const analysis: Analysis = {
          method,
          metric: 'mean',
          control: 'a',
          looks: { fraction, spending: spent },
          variations: [
            { key: 'a', ...sums(n, base) },
            { key: 'b', ...sums(otherN, base * (1 + change)) },
          ],
        };
        expect(wrongFigures(analyse(analysis))).toEqual([]);
      },
    ),
    { ...RUNS, numRuns: 4000 },
  );
});

const GOALS: readonly ReportGoal[] = [
  { id: 'signup', name: 'Sign-ups', kind: 'count', lowerIsBetter: false, role: 'primary' },
  { id: 'revenue', name: 'Revenue', kind: 'revenue', lowerIsBetter: false, role: 'secondary' },
  { id: 'errors', name: 'Errors', kind: 'count', lowerIsBetter: true, role: 'guardrail' },
];

function groupOf(variationKey: string, size: number, early: boolean, probability: number): ReportGroup {
  const sum = converted(size, probability);
  const sums = (value: number) => ({
    sum: value,
    sumSquares: value,
    covariateSum: value / 2,
    covariateSumSquares: value / 2,
    covariateProduct: value / 4,
  });
  const goals = GOALS.map(({ id }) => ({
    goalId: id,
    converted: sum,
    conversions: sums(sum),
    amount: id === 'revenue' ? sums(sum) : sums(0),
    convertedAmount: id === 'revenue' ? sum : 0,
    convertedCovariate: sum / 4,
  }));
  return { variationKey, bot: false, early, visitors: size, goals };
}

const startedAt = Date.UTC(2026, 9, 1);

const statistics = fc.record({
  engine: fc.constantFrom<StatisticsSettings['engine']>('auto', 'sequential', 'frequentist', 'bayesian'),
  spending,
  alpha,
  cuped: fc.boolean(),
  correction: fc.constantFrom<StatisticsSettings['correction']>('none', 'holm', 'benjamini-hochberg'),
});

test('no figure and no text of a report is ever NaN or infinite', () => {
  fc.assert(
    fc.property(
      fc.array(visitors, { minLength: 3, maxLength: 3 }),
      rate,
      effect,
      share,
      statistics,
      fc.boolean(),
      fc.integer({ min: 0, max: 40 }),
      (sizes, base, change, fraction, settings, isOver, days) => {
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const asOf = startedAt + days * DAY_MS + 1;
        const keys = ['a', 'b', 'c'];
        const input: ReportInput = {
          variations: keys.map((key) => ({ key, weight: 1 })),
          goals: GOALS,
          statistics: { ...DEFAULT_STATISTICS, ...settings },
          smallestEffect: 0.02,
          plannedVisitors: Math.max(1, Math.ceil(total / fraction)),
          includeBots: false,
          groups: keys.flatMap((key, index) => {
            const size = sizes[index]!;
            const probability = index === 1 ? base * (1 + change) : base;
            return [
              groupOf(key, Math.floor(size / 2), true, probability),
              groupOf(key, Math.ceil(size / 2), false, probability),
            ];
          }),
          exposures: keys.flatMap((variationKey, index) =>
            sizes[index]! > 0 ? [{ at: startedAt, variationKey, bot: false, exposures: sizes[index]! }] : [],
          ),
          startedAt,
          endedAt: isOver ? asOf : null,
          asOf,
        };
        expect(wrongFigures(buildReport(input))).toEqual([]);
      },
    ),
    { ...RUNS, numRuns: 500 },
  );
});

const KINDS: readonly Partial<ReportMetric>[] = [
  { kind: 'count' },
  { kind: 'sum', format: 'money' },
  { kind: 'ratio' },
  { kind: 'retention', format: 'percent', withinDays: 7 },
  { kind: 'funnel', steps: ['a', 'b'] },
  { kind: 'quantile', quantile: 0.99, format: 'seconds' },
  { kind: 'page', of: 'bounce' },
];

test('no figure and no text of a report on metrics is ever NaN or infinite', () => {
  const roles = ['primary', 'secondary', 'guardrail'] as const;
  fc.assert(
    fc.property(
      fc.array(visitors, { minLength: 6, maxLength: 6 }),
      rate,
      effect,
      fc.constantFrom(0, 1e-9, 1, 1e12),
      share,
      statistics,
      fc.integer({ min: 0, max: KINDS.length - 1 }),
      (sizes, base, change, size, fraction, settings, first) => {
        const goals = roles.map((role, index) =>
          metricGoal(KINDS[(first + index) % KINDS.length]!, { id: `m${index}`, role }),
        );
        const groups = goals.flatMap(({ metricId }) =>
          ['control', 'b'].flatMap((key, index) =>
            [false, true].map((returning) => {
              const [own, pending] = [sizes[2 * index + Number(returning)]!, sizes[4 + index]!];
              const reached = converted(own, index === 1 ? base * (1 + change) : base);
              const sum = size * reached;
              return metricGroup(key, own, reached, {
                metricId,
                returning,
                pending,
                value: { sum, sumSquares: size * sum * (1 + base) },
                denominator: { sum: own * base, sumSquares: own * base },
                product: sum * base,
                steps: [reached, Math.floor(reached * base)],
              });
            }),
          ),
        );
        const quantiles = goals.flatMap(({ metricId }) =>
          ['control', 'b'].map((key, index) =>
            quantileOf(key, size * (1 + index * change), size * base, { metricId, visitors: sizes[index]! }),
          ),
        );
        const input = metricInput(goals, { groups, quantiles });
        const all = { ...input, statistics: { ...DEFAULT_STATISTICS, ...settings }, smallestEffect: 0.02 };
        const total = sizes.reduce((sum, it) => sum + it, 0);
        const plannedVisitors = Math.max(1, Math.ceil(total / fraction));
        expect(wrongFigures(buildReport({ ...all, plannedVisitors }))).toEqual([]);
        expect(wrongFigures(buildReport({ ...all, endedAt: all.asOf }))).toEqual([]);
      },
    ),
    { ...RUNS, numRuns: 300 },
  );
});

test('a disaster on the first day of a long test is rolled back, and its p-value is tiny', () => {
  const looks = { fraction: 40_000 / 1_120_000, spending: 'obrien-fleming' as const };
  const result = analyse({
    method: 'group-sequential',
    metric: 'proportion',
    control: 'a',
    looks,
    variations: [
      { key: 'a', n: 20_000, sum: 6000, sumSquares: 6000 },
      { key: 'b', n: 20_000, sum: 2000, sumSquares: 2000 },
    ],
  });
  expect(result.variations[1]!.pValue).toBeLessThan(1e-20);
  expect(result.variations[1]!.absolute!.high).toBeLessThan(-0.15);
});

test('no plan is ever NaN or infinite', () => {
  fc.assert(
    fc.property(
      rate,
      effect,
      fc.constantFrom(...METHODS),
      spending,
      alpha,
      (base, change, method, spent, level) => {
        const plan = planTest({
          method,
          alpha: level,
          spending: spent,
          baseline: { metric: 'proportion', rate: base },
          smallestEffect: { kind: 'relative', value: change },
          dailyVisitors: 1000,
        });
        expect(wrongFigures(plan)).toEqual([]);
      },
    ),
    { ...RUNS, numRuns: 500 },
  );
});
