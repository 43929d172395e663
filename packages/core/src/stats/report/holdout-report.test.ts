import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { count, holdoutReportOf, revenue } from '../../testing/holdout-counts.ts';
import { NO_HOLDOUT_WORDS } from '../words/holdout-words.ts';
import { noHoldoutReport } from './holdout-report.ts';

const SINCE = 1_760_000_000_000;
const AS_OF = 1_767_225_600_000;
const SOME = [5000, 45_000] as const;
const METHOD = { engine: 'sequential', alpha: 0.05, sequentialN: 5000, correction: 'holm' };

it('has what was counted, compared and found', () => {
  const winners = [{ splitTestId: 'x', name: 'X', variation: 'b', endedAt: SINCE }] as never;
  const report = holdoutReportOf(SOME, [count('Sign-ups', [500, 6000])], { winners, share: 0.5 });
  expect(report).toEqual({
    percentage: 10,
    since: SINCE,
    asOf: AS_OF,
    share: 0.5,
    method: METHOD,
    summary:
      'Visitors outside of the holdout do better on Sign-ups (+33 %). Counted from a random sample of 50 % of the visitors.',
    groups: [
      { key: 'held-out', weight: 10, visitors: 5000 },
      { key: 'others', weight: 90, visitors: 45_000 },
    ],
    health: { healthy: true, problems: [] },
    goals: [expect.objectContaining({ goalId: 'Sign-ups' })],
    winners,
  });
  const { metrics, ...goal } = report.goals[0]!;
  expect(goal).toEqual({
    goalId: 'Sign-ups',
    name: 'Sign-ups',
    kind: 'count',
    lowerIsBetter: false,
    finding: 'better',
    words: expect.stringMatching(/^Visitors outside of the holdout convert 33 % more, between/),
    collecting: null,
    counts: [
      { key: 'held-out', visitors: 5000, converted: 500, conversions: 500, amount: 0 },
      { key: 'others', visitors: 45_000, converted: 6000, conversions: 6000, amount: 0 },
    ],
  });
  expect(metrics.map(({ metric, decides }) => [metric, decides])).toEqual([
    ['conversion-rate', true],
    ['conversions-per-visitor', false],
  ]);
  expect(Object.keys(metrics[0]!.variations[1]!).toSorted()).toEqual([
    'absolute',
    'adjustedPValue',
    'chanceToBeat',
    'expectedLoss',
    'key',
    'mean',
    'n',
    'pValue',
    'relative',
  ]);
  expect(metrics[0]!.variations[1]).toMatchObject({ key: 'others', n: 45_000, mean: 6000 / 45_000 });
});

it('has the amounts of revenue', () => {
  const [goal] = holdoutReportOf(SOME, [revenue('Orders', [500, 4500], 20)]).goals;
  expect(goal).toMatchObject({
    kind: 'revenue',
    finding: 'unclear',
    counts: [{ amount: 10_000 }, { amount: 90_000, conversions: 4500 }],
    metrics: [
      { metric: 'revenue-per-visitor', decides: true, variations: [{ mean: 2 }, { mean: 2 }] },
      { metric: 'conversion-rate', decides: false },
      { metric: 'revenue-per-converted-visitor', decides: false },
    ],
  });
});

it('is sequential, corrected and without covariates or a prior, whatever the settings say', () => {
  const goals = [count('A', [500, 6000]), count('B', [500, 4900])];
  const statistics = {
    ...DEFAULT_STATISTICS,
    engine: 'bayesian',
    correction: 'none',
    cuped: true,
    prior: { mean: 0, sd: 0.001 },
    alpha: 0.01,
    sequentialN: 900,
  } as const;
  const given = holdoutReportOf(SOME, goals, { statistics });
  expect(given.method).toEqual({ ...METHOD, alpha: 0.01, sequentialN: 900 });
  const plain = { ...DEFAULT_STATISTICS, alpha: 0.01, sequentialN: 900 };
  expect(given).toEqual(holdoutReportOf(SOME, goals, { statistics: plain }));
  const [a, b] = given.goals.map(({ metrics }) => metrics[0]!.variations[1]!);
  expect(a!.adjustedPValue).toBe(2 * a!.pValue!);
  expect(b!.adjustedPValue).toBe(b!.pValue);
});

describe('a goal', () => {
  const findings = (converted: readonly [number, number], more: object = {}, given: object = {}) =>
    holdoutReportOf(SOME, [count('A', converted, more)], given).goals[0]!;

  it('is better or worse beyond chance, by its direction', () => {
    expect(findings([500, 6000]).finding).toBe('better');
    expect(findings([500, 3500]).finding).toBe('worse');
    expect(findings([500, 6000], { lowerIsBetter: true }).finding).toBe('worse');
    expect(findings([500, 3500], { lowerIsBetter: true })).toMatchObject({
      finding: 'better',
      lowerIsBetter: true,
    });
    expect(findings([500, 4600]).finding).toBe('unclear');
    expect(findings([500, 4500]).finding).toBe('unclear');
  });

  it('is proven by the accepted error rate', () => {
    const statistics = { ...DEFAULT_STATISTICS, alpha: 0.2 };
    const { metrics, finding } = findings([500, 5050]);
    expect(metrics[0]!.variations[1]!.adjustedPValue).toBeGreaterThan(0.05);
    expect(finding).toBe('unclear');
    expect(findings([500, 5150], {}, { statistics }).finding).toBe('better');
  });

  it('needs 25 conversions in the holdout, if all convert alike', () => {
    expect(findings([10, 239])).toMatchObject({
      finding: 'collecting',
      collecting: { conversions: 249, required: 250 },
    });
    expect(findings([10, 240])).toMatchObject({ finding: 'unclear', collecting: null });
  });

  it('cannot be compared with nobody', () => {
    const alone = { percentage: 100, largest: 100 };
    const [goal] = holdoutReportOf([5000, 0], [count('A', [500, 0])], alone).goals;
    expect(goal).toMatchObject({ finding: 'collecting', collecting: null });
  });
});

describe('the split', () => {
  it('is compared with the percentage of the holdout and the largest one', () => {
    const goals = [count('A', [450, 5990])];
    const wrong = holdoutReportOf([4512, 45_488], goals);
    expect(wrong.health).toEqual({
      healthy: false,
      problems: [
        {
          problem: 'sample-ratio-mismatch',
          pValue: expect.any(Number),
          words: expect.stringMatching(/^The visitors are not split as planned: 4,512 of 50,000 \(9 %\)/),
        },
      ],
    });
    expect(wrong.summary).toBe(wrong.health.problems[0]!.words);
    expect(wrong.goals[0]!.finding).toBe('unhealthy');
    // After the holdout became smaller, 9 % of all are neither in it nor among the others.
    const smaller = holdoutReportOf([500, 4500], goals, { percentage: 9, largest: 19 });
    expect(smaller.health.healthy).toBe(true);
    expect(smaller.groups.map(({ weight }) => weight)).toEqual([9, 81]);
  });

  it('is the only problem of a report', () => {
    // Nobody in the holdout converts, which would be a problem of a split test.
    const report = holdoutReportOf(SOME, [count('A', [0, 4500])]);
    expect(report.health).toEqual({ healthy: true, problems: [] });
  });
});

it('leaves out bots', () => {
  const goals = [count('A', [500, 6000])];
  const { groups } = holdoutReportOf(SOME, goals);
  const bot = { variationKey: 'others', bot: true, early: false, visitors: 70, goals: [] };
  expect(groups[1]!.visitors).toBe(45_000);
  const counted = ['held-out', 'others'].map((variationKey) => ({ ...bot, variationKey, bot: false }));
  const report = holdoutReportOf(SOME, goals, { groups: [...counted, bot] });
  expect(report.groups.map(({ visitors }) => visitors)).toEqual([70, 70]);
});

it('says that there is no holdout', () => {
  expect(noHoldoutReport({ ...DEFAULT_STATISTICS, engine: 'bayesian' }, AS_OF)).toEqual({
    percentage: 0,
    since: null,
    asOf: AS_OF,
    share: 1,
    method: METHOD,
    summary: NO_HOLDOUT_WORDS,
    groups: [],
    health: { healthy: true, problems: [] },
    goals: [],
    winners: [],
  });
});
