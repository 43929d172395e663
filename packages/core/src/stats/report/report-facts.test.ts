import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { convertedOnce, dayAt, goalOf, groupOf, inputOf, START, sumsOf } from '../../testing/report-cases.ts';
import { forecastOf } from './forecast.ts';
import { buildReport } from './report.ts';
import type { ReportGoal, ReportGroup, ReportInput } from './report-input.ts';

const exposed = (days: readonly number[], exposures: number, variationKey = 'b') =>
  days.map((day) => ({ at: dayAt(day), variationKey, bot: false, exposures }));

const DAYS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

const reached = (key: string, visitors: number, converted: number, more: Partial<ReportGroup> = {}) =>
  groupOf(key, visitors, { goals: [convertedOnce('signup', converted)], ...more });

/** 1,000 visitors of each variation; 100 of the control have converted. */
const tested = (b: number, more: Partial<ReportInput> = {}) =>
  inputOf([reached('control', 1000, 100), reached('b', 1000, b)], more);

const three = (more: Partial<ReportInput> = {}) =>
  inputOf([reached('control', 1000, 100), reached('b', 2000, 240), reached('c', 3000, 300)], {
    variations: [
      { key: 'control', weight: 1 },
      { key: 'b', weight: 2 },
      { key: 'c', weight: 3 },
    ],
    ...more,
  });

describe('the variations of a report', () => {
  it('have their exposures, visitors and bots', () => {
    const groups = [
      groupOf('b', 30),
      groupOf('b', 4, { bot: true }),
      groupOf(null, 2, { firstVariationKey: 'b' }),
      groupOf('b', 7, { moved: true }),
    ];
    const report = buildReport(inputOf(groups, { exposures: exposed([0, 1], 25) }));
    expect(report.variations).toEqual([
      { key: 'control', weight: 1, exposures: 0, visitors: 0, firstVisitors: 0, bots: 0 },
      { key: 'b', weight: 1, exposures: 50, visitors: 30, firstVisitors: 39, bots: 4 },
    ]);
    expect(report).toMatchObject({ mixedVisitors: 2, movedVisitors: 7 });
  });

  it('have a p-value of their split, by what visitors saw first', () => {
    const pValue = (groups: ReportGroup[]) => buildReport(inputOf(groups)).splitPValue;
    expect(pValue([])).toBeNull();
    expect(pValue([groupOf('control', 5000), groupOf('b', 5000)])).toBe(1);
    // As in cases/stats-tools.json.
    expect(pValue([groupOf('control', 5000), groupOf('b', 5500)])).toBeCloseTo(0.000_180_794_619, 12);
    const first = groupOf(null, 500, { firstVariationKey: 'control' });
    expect(pValue([groupOf('control', 5000), groupOf('b', 5500), first])).toBe(1);
  });

  it('have a share of the plan', () => {
    expect(buildReport(tested(120, { plannedVisitors: 8000 })).plannedShare).toBe(0.25);
    expect(buildReport(tested(120)).plannedShare).toBeNull();
  });

  it('have the prior of the Bayesian method', () => {
    const statistics = { ...DEFAULT_STATISTICS, engine: 'bayesian' } as const;
    const learnedPrior = { mean: 0, sd: 0.04, tests: 9 };
    expect(buildReport(tested(120)).prior).toBeNull();
    expect(buildReport(tested(120, { statistics })).prior).toEqual({ mean: 0, sd: 0.1 });
    const learned = buildReport(tested(120, { statistics, learnedPrior }));
    expect(learned.prior).toEqual(learnedPrior);
    const estimate = ({ goals }: typeof learned) => goals[0]!.metrics[0]!.variations[1]!.absolute!.estimate;
    expect(estimate(learned)).toBeLessThan(estimate(buildReport(tested(120, { statistics }))));
  });
});

describe('a goal of a report', () => {
  const goals: ReportGoal[] = [
    goalOf('signup'),
    goalOf('other', { role: 'secondary' }),
    goalOf('safe', { role: 'guardrail', maxHarm: 0.5 }),
    goalOf('bad', { role: 'guardrail', lowerIsBetter: true }),
  ];
  const group = (key: string, converted: readonly number[]) =>
    groupOf(key, 1000, { goals: converted.map((number, index) => convertedOnce(goals[index]!.id, number)) });
  const report = () =>
    buildReport(
      inputOf([group('control', [100, 100, 500, 100]), group('b', [130, 100, 500, 300])], { goals }),
    );

  it('has a state and a margin only if it is a guardrail', () => {
    const states = report().goals.map(({ goal, state, maxHarm }) => [goal.id, state, maxHarm]);
    expect(states).toEqual([
      ['signup', undefined, undefined],
      ['other', undefined, undefined],
      ['safe', 'safe', 0.5],
      ['bad', 'harmed', 0.05],
    ]);
    expect(report().goals.map((goal) => 'state' in goal)).toEqual([false, false, true, true]);
  });

  it('has all of its sums, and who answered only for feedback', () => {
    expect(report().goals[0]!.counts).toEqual([
      { key: 'control', visitors: 1000, ...convertedOnce('signup', 100), ...zeros },
      { key: 'b', visitors: 1000, ...convertedOnce('signup', 130), ...zeros },
    ]);
    const nothing = buildReport(tested(120, { goals: [goalOf('gone')] })).goals[0]!.counts[1];
    expect(nothing).toEqual({ key: 'b', visitors: 1000, ...sumsOf('gone') });
  });
});

/** Members that are missing in the sums of a group count as zero. */
const none = {
  knownSum: 0,
  sessionsProduct: 0,
  revenueProduct: 0,
  covariateKnown: 0,
  covariateSessions: 0,
  covariateRevenue: 0,
};
const zeros = {
  conversions: expect.objectContaining(none),
  amount: expect.objectContaining(none),
  convertedKnown: 0,
  convertedSessions: 0,
  convertedRevenue: 0,
};

describe('problems of a report', () => {
  const problems = (input: ReportInput) => buildReport(input).problems;

  it('are days without exposures: full ones, after the start and before the end', () => {
    const silent = (more: Partial<ReportInput>, days: readonly number[] = DAYS) => {
      const [found] = problems(tested(115, { exposures: exposed(days, 200), ...more }));
      return found?.problem === 'missing-exposures' ? found.days : 0;
    };
    expect(silent({})).toBe(0);
    expect(silent({}, DAYS.slice(1))).toBe(1);
    expect(silent({ startedAt: START + 1 }, DAYS.slice(1))).toBe(0);
    expect(silent({}, DAYS.slice(0, 9))).toBe(1);
    expect(silent({ asOf: dayAt(10) - 1 }, DAYS.slice(0, 9))).toBe(0);
    expect(silent({ endedAt: dayAt(9) }, DAYS.slice(0, 9))).toBe(0);
    expect(silent({ endedAt: dayAt(9) + 1, asOf: dayAt(12) }, DAYS.slice(0, 8))).toBe(1);
    expect(silent({ endedAt: dayAt(20) }, DAYS.slice(0, 9))).toBe(1);
    expect(silent({ pauses: [{ from: dayAt(9), to: null }] }, DAYS.slice(0, 9))).toBe(0);
  });

  it('are effects that fade', () => {
    const paid = (key: string, dollars: number, early: boolean) =>
      groupOf(key, 4000, {
        early,
        goals: [
          sumsOf('signup', {
            converted: 2000,
            amount: { sum: 2000 * dollars, sumSquares: 2000 * dollars ** 2 },
            convertedAmount: 2000 * dollars,
          }),
        ],
      });
    const revenue = [goalOf('signup', { kind: 'revenue' } as object)];
    const fading = (early: number, late: number) =>
      problems(
        inputOf(
          [
            paid('control', 10, true),
            paid('b', early, true),
            paid('control', 10, false),
            paid('b', late, false),
          ],
          { goals: revenue },
        ),
      );
    expect(fading(13, 13)).toEqual([]);
    const [novelty, ...more] = fading(13, 10);
    expect(more).toEqual([]);
    expect(novelty).toMatchObject({
      problem: 'novelty',
      variation: 'b',
      early: expect.closeTo(0.3, 9),
      late: expect.closeTo(0, 9),
      unit: 'relative',
    });
    expect(novelty!.words).toMatch(
      /^The effect of "b" changes over time: \+30 % for visitors of the first days/,
    );
    const rates = [
      reached('control', 4000, 400, { early: true }),
      reached('b', 4000, 600, { early: true }),
      reached('control', 4000, 400),
      reached('b', 4000, 400),
    ];
    expect(problems(inputOf(rates))).toMatchObject([{ problem: 'novelty', early: expect.closeTo(0.5, 9) }]);
  });

  it('are conversions that are missing, of the primary goal only, if higher is better', () => {
    const secondary = goalOf('other', { role: 'secondary' });
    const missing = (goal: ReportGoal) =>
      problems(tested(0, { goals: [secondary, goal] })).map(({ problem }) => problem);
    expect(missing(goalOf('signup'))).toEqual(['missing-conversions']);
    expect(missing(goalOf('signup', { lowerIsBetter: true }))).toEqual([]);
    expect(missing(goalOf('signup', { role: 'secondary' }))).toEqual([]);
  });
});

describe('the verdicts of a report', () => {
  it('are none without a primary goal', () => {
    const report = buildReport(tested(150, { goals: [goalOf('signup', { role: 'guardrail' })] }));
    expect(report).toMatchObject({ verdicts: [], verdict: null });
  });

  it('are those of all other variations, on their visitors and their part of the plan', () => {
    const { verdicts } = buildReport(three({ plannedVisitors: 60_000 }));
    expect(
      verdicts.map(({ variation, visitors, plannedVisitors }) => [variation, visitors, plannedVisitors]),
    ).toEqual([
      ['b', 3000, 30_000],
      ['c', 4000, 40_000],
    ]);
    expect(buildReport(three()).verdicts[0]!.plannedVisitors).toBeNull();
    expect(
      buildReport(three({ plannedVisitors: 1, plannedEnd: undefined as never })).verdicts[0]!.plannedVisitors,
    ).toBe(1);
    // By the weights as long as nobody has come.
    const empty = buildReport({ ...three({ plannedVisitors: 60_000 }), groups: [] });
    expect(empty.verdicts.map(({ plannedVisitors }) => plannedVisitors)).toEqual([30_000, 40_000]);
  });

  it('know the smallest effect, the currency and the number of variations', () => {
    const [b] = buildReport(three({ smallestEffect: 0.03 })).verdicts;
    expect(b!.smallestEffect).toEqual({ kind: 'relative', value: 0.03 });
    expect(buildReport(three()).verdicts[0]!.smallestEffect).toBeNull();
    const worse = buildReport(
      inputOf([reached('control', 2000, 400), reached('b', 2000, 200), reached('c', 2000, 400)], {
        variations: ['control', 'b', 'c'].map((key) => ({ key, weight: 1 })),
      }),
    );
    expect(worse.verdicts[0]!.sentences.next).toBe('Next: take "b" out of the test.');
  });

  it('know whether the test has started, and whether it is over', () => {
    const empty = { groups: [], exposures: [] };
    const next = (more: Partial<ReportInput>) =>
      buildReport({ ...tested(1), ...empty, ...more }).verdict!.sentences.next;
    expect(next({})).toMatch(/^Next: check that the pages/);
    expect(next({ startedAt: dayAt(10) })).toMatch(/^Next: start the test/);
    expect(next({ endedAt: dayAt(9) })).toBe('Next: run the test again with more visitors.');
  });

  it('forecast with the visitors of the variation and the control, corrected for the comparisons', () => {
    const exposures = exposed(DAYS, 600);
    const forecast = (correction: 'holm' | 'none', index: number) => {
      const report = buildReport(three({ exposures, statistics: { ...DEFAULT_STATISTICS, correction } }));
      const { standardError, absolute } = report.goals[0]!.metrics[0]!.variations[index + 1]!;
      const visitors = [3000, 4000][index]!;
      const expected = forecastOf({
        method: 'sequential',
        alpha: correction === 'none' ? 0.05 : 0.025,
        difference: absolute!.estimate,
        standardError: standardError!,
        controlMean: 0.1,
        visitors,
        // 600 of the test per day.
        traffic: { dailyVisitors: visitors / 10, uncertainty: 0.1 },
        plannedVisitors: null,
        smallestDifference: null,
      });
      expect(expected).not.toBeNull();
      return [report.verdicts[index]!.forecast, expected];
    };
    for (const correction of ['holm', 'none'] as const) {
      for (const index of [0, 1]) {
        const [actual, expected] = forecast(correction, index);
        expect(actual!.detectable).toBeCloseTo(expected!.detectable!, 9);
        expect(actual).toMatchObject({ low: expected!.low, high: expected!.high, median: expected!.median });
      }
    }
  });

  it('have no forecast after the end or without traffic', () => {
    const forecast = (more: Partial<ReportInput>) =>
      buildReport(three({ exposures: exposed(DAYS, 600), ...more })).verdicts[0]!.forecast;
    expect(forecast({})).not.toBeNull();
    expect(forecast({ endedAt: dayAt(10) })).toBeNull();
    expect(forecast({ exposures: [] })).toBeNull();
  });

  it('say how long data is collected', () => {
    const collecting = (more: Partial<ReportInput> = {}) =>
      buildReport(
        inputOf([reached('control', 200, 10), reached('b', 200, 14)], {
          exposures: exposed(DAYS, 40),
          ...more,
        }),
      ).verdict!;
    // 24 conversions in ten days, and 26 more are needed.
    expect(collecting()).toMatchObject({
      decision: 'collecting',
      collecting: { conversions: 24, required: 50, days: 11 },
      daysLeft: 11,
    });
    expect(collecting({ exposures: [] }).collecting!.days).toBeNull();
    expect(collecting({ endedAt: dayAt(10) }).collecting!.days).toBeNull();
    expect(buildReport(tested(0, { groups: [] })).verdict!.collecting).toEqual({
      conversions: 0,
      required: 50,
      days: null,
    });
  });

  it('are made at the planned end with the visitors until then, and with all for guardrails', () => {
    const goals = [goalOf('signup'), goalOf('renewal', { role: 'guardrail', maxHarm: 0.1 })];
    const both = (key: string, visitors: number, signup: number, renewal: number) =>
      groupOf(key, visitors, { goals: [convertedOnce('signup', signup), convertedOnce('renewal', renewal)] });
    const report = buildReport(
      inputOf([both('control', 4000, 400, 2000), both('b', 4000, 400, 1200)], {
        goals,
        plannedVisitors: 2000,
        plannedEnd: { at: dayAt(3), groups: [both('control', 1000, 100, 500), both('b', 1000, 190, 500)] },
      }),
    );
    expect(
      report.goals.map(({ counts }) => counts.map(({ visitors, converted }) => [visitors, converted])),
    ).toEqual([
      [
        [1000, 100],
        [1000, 190],
      ],
      [
        [4000, 2000],
        [4000, 1200],
      ],
    ]);
    expect(report.verdict).toMatchObject({
      decision: 'roll-back',
      reason: 'guardrail',
      visitors: 2000,
      plannedVisitors: 2000,
    });
    expect(report.notes).toEqual([
      {
        note: 'planned-end',
        at: dayAt(3),
        visitors: 2000,
        words: expect.stringMatching(/^The planned number of visitors was reached on 2026-01-04/),
      },
    ]);
  });
});
