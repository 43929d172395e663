import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { metricGoal, metricGroup, metricInput, quantileOf } from '../../testing/metric-cases.ts';
import { convertedOnce, dayAt, goalOf, groupOf } from '../../testing/report-cases.ts';
import type { Interval } from '../comparison.ts';
import { buildReport } from '../report/report.ts';
import type { ReportInput } from '../report/report-input.ts';

/** About a hundred and fifty conversions per thousand visitors, more of them in b. */
const groups = (pending = 0, b = 0.2) => [
  metricGroup('control', 4000, 600, { pending }),
  metricGroup('b', 4000, 4000 * b, { pending }),
];
const exposures = (perDay: number, days = 10) =>
  Array.from({ length: days }, (_, day) =>
    ['control', 'b'].map((variationKey) => ({
      at: dayAt(day),
      variationKey,
      bot: false,
      exposures: perDay / 2,
    })),
  ).flat();
const weekly = { kind: 'retention', format: 'percent', withinDays: 7 } as const;

describe('a metric as the primary goal', () => {
  it('decides', () => {
    const report = buildReport(metricInput([metricGoal(weekly)], { groups: groups() }));
    expect(report.verdict).toMatchObject({ decision: 'ship', variation: 'b', visitors: 8000, pending: 0 });
    expect(report.verdict!.words).toBe(
      'Ship "b": it is better than the control. Metric m: 15.0 % → 20.0 %, +33 %, between +15 % and +55 % (8,000 visitors). Next: stop the test and choose "b" as the winner.',
    );
  });

  it('is better if it falls, if lower is better', () => {
    const goal = metricGoal(weekly, { lowerIsBetter: true });
    expect(buildReport(metricInput([goal], { groups: groups() })).verdict!.decision).toBe('roll-back');
    expect(buildReport(metricInput([goal], { groups: groups(0, 0.1) })).verdict!.decision).toBe('ship');
  });

  it('is corrected with the other variations, and not with other metrics', () => {
    const input = metricInput(
      [metricGoal(weekly), metricGoal(weekly, { id: 'n', role: 'secondary' })],
      {
        groups: [
          ...groups(),
          metricGroup('c', 4000, 640),
          ...groups().map((it) => ({ ...it, metricId: 'n' })),
        ],
      },
      { variations: ['control', 'b', 'c'].map((key) => ({ key, weight: 1 })) },
    );
    const [primary, secondary] = buildReport(input).goals.map(({ metrics }) => metrics[0]!.variations[1]!);
    expect(primary!.adjustedPValue).toBeCloseTo(2 * primary!.pValue!, 12);
    expect(secondary!.adjustedPValue).toBe(secondary!.pValue);
  });

  it('shows what was counted, and no counts of a goal', () => {
    const goal = metricGoal({ kind: 'funnel', format: 'percent', steps: ['/cart', 'paid'], withinDays: 3 });
    const [reported] = buildReport(
      metricInput([goal], { groups: groups(12).map((it) => ({ ...it, steps: [900, 600] })) }),
    ).goals;
    expect(reported!.counts).toEqual([]);
    expect(reported!.measured![0]).toEqual({
      key: 'control',
      visitors: 4000,
      pending: 12,
      reached: 600,
      sum: 600,
      sumSquares: 600,
      steps: [
        { name: '/cart', visitors: 900 },
        { name: 'paid', visitors: 600 },
      ],
    });
  });

  it('shows the denominator of a ratio, and the number of values of a quantile', () => {
    const sums = { denominator: { sum: 9000, sumSquares: 30_000 }, product: 1500 };
    const goals = [
      metricGoal({ kind: 'ratio' }),
      metricGoal({ kind: 'quantile', quantile: 0.9 }, { id: 'q', role: 'secondary' }),
    ];
    const { goals: reported } = buildReport(
      metricInput(goals, {
        groups: groups().map((it) => ({ ...it, ...sums })),
        quantiles: [quantileOf('control', 1.8, 0.1, { metricId: 'q', pending: 4 })],
      }),
    );
    expect(reported[0]!.measured![1]).toMatchObject({
      sum: 800,
      denominatorSum: 9000,
      denominatorSumSquares: 30_000,
      product: 1500,
    });
    expect(reported[1]!.measured).toEqual([
      { key: 'control', visitors: 1000, pending: 4, values: 3000, value: 1.8, standardError: 0.1 },
      { key: 'b', visitors: 0, pending: 0, values: 0, value: null, standardError: null },
    ]);
  });

  it('is compared with nothing if nothing was counted', () => {
    const report = buildReport({
      ...metricInput([metricGoal(weekly)], {}),
      metrics: undefined,
    } as ReportInput);
    expect(report.verdict!.words).toBe(
      'Collecting data: no visitors yet. Metric m: nothing to compare yet. Next: check that the pages of the test load the SDK and ask it for a variation.',
    );
  });

  it('is not a covariate, and CUPED is not off because of what nobody uses', () => {
    const goal = metricGoal(weekly);
    const input = metricInput(
      [goal],
      { groups: groups() },
      { statistics: { ...DEFAULT_STATISTICS, cuped: true } },
    );
    const before = {
      known: 4000,
      sessions: 40_000,
      sessionsSquares: 500_000,
      revenue: 0,
      revenueSquares: 0,
      knownRevenue: 0,
      product: 0,
    };
    const known = input.groups.map((group, index) => ({
      ...group,
      before: { ...before, known: index * 2000 + 1000 },
    }));
    expect(buildReport({ ...input, groups: known }).notes.map(({ note }) => note)).toEqual([
      'metric-settings',
    ]);
    const withGoal = { ...input, groups: known, goals: [goal, goalOf('signup', { role: 'secondary' })] };
    expect(buildReport(withGoal).notes.map(({ note }) => note)).toEqual([
      'covariate-imbalance',
      'metric-settings',
    ]);
  });
});

const widthOf = (interval: Interval | null) => interval!.high! - interval!.low!;

describe('visitors whose window is not over', () => {
  it('are in a note, and not among the visitors of the verdict', () => {
    const report = buildReport(metricInput([metricGoal(weekly)], { groups: groups(602) }));
    expect(report.notes).toEqual([
      {
        note: 'pending-visitors',
        goalId: 'metric:m',
        name: 'Metric m',
        pending: 1204,
        visitors: 9204,
        withinDays: 7,
        words: '1,204 of 9,204 visitors are not counted for "Metric m" yet: their 7 days are not over.',
      },
    ]);
    expect(report.verdict).toMatchObject({ visitors: 8000, pending: 1204 });
    expect(report.variations.map(({ visitors }) => visitors)).toEqual([4602, 4602]);
  });

  it('are waited for if there is nobody else', () => {
    const none = ['control', 'b'].map((key) => metricGroup(key, 0, 0, { pending: 50 }));
    const { verdict } = buildReport(
      metricInput([metricGoal(weekly)], { groups: none }, { exposures: exposures(10) }),
    );
    expect(verdict!.sentences.decision).toBe(
      'Collecting data: the 7 days of the first visitors are not over yet.',
    );
    expect(verdict!.sentences.next).toBe('Next: wait until the 7 days of the first visitors are over.');
  });

  it('do not make the first evaluation seem further away', () => {
    const few = ['control', 'b'].map((key) => metricGroup(key, 100, 10, { pending: 900 }));
    const { verdict } = buildReport(
      metricInput([metricGoal(weekly)], { groups: few }, { exposures: exposures(200) }),
    );
    // 30 more of 50 at a rate of 10 %, with 200 visitors a day.
    expect(verdict!.collecting).toEqual({ conversions: 20, required: 50, days: 2 });
    expect(verdict!.sentences.decision).toBe(
      'Collecting data: 20 of the 50 visitors who reached "Metric m" that a first evaluation needs.',
    );
  });

  it.each(['group-sequential', 'frequentist'] as const)(
    'have to be over until a test with the method %s is at its planned end',
    (engine) => {
      const settings = { plannedVisitors: 9000, statistics: { ...DEFAULT_STATISTICS, engine } };
      const decisionOf = (pending: number) => {
        const visitors = 4500 - pending;
        const own = ['control', 'b'].map((key) =>
          metricGroup(key, visitors, Math.round((key === 'b' ? 0.162 : 0.15) * visitors), { pending }),
        );
        const { verdict, goals } = buildReport(metricInput([metricGoal(weekly)], { groups: own }, settings));
        return [
          verdict!.decision,
          verdict!.reason,
          verdict!.visitors,
          widthOf(goals[0]!.metrics[0]!.variations[1]!.absolute),
        ];
      };
      expect(decisionOf(0).slice(0, 3)).toEqual(['no-difference', 'planned-end', 9000]);
      expect(decisionOf(500)).toMatchObject([
        'keep-going',
        engine === 'frequentist' ? 'before-planned-end' : 'not-significant',
        8000,
        expect.anything(),
      ]);
      // With less information, the boundary is wider than the number of visitors alone explains.
      const ratio = (decisionOf(2250)[3] as number) / (decisionOf(0)[3] as number);
      if (engine === 'frequentist') expect(ratio).toBeCloseTo(Math.SQRT2, 1);
      else expect(ratio).toBeCloseTo(2, 1);
    },
  );

  it('are those who came until the planned end, with a metric of the same visitors', () => {
    const statistics = { ...DEFAULT_STATISTICS, engine: 'group-sequential' as const };
    const ended = [
      metricGroup('control', 3000, 450, { pending: 10 }),
      metricGroup('b', 3000, 450, { pending: 10 }),
    ];
    const report = buildReport(
      metricInput(
        [metricGoal(weekly), metricGoal(weekly, { id: 'n', role: 'guardrail' })],
        { groups: [...groups(), ...groups().map((it) => ({ ...it, metricId: 'n' }))] },
        {
          plannedVisitors: 6020,
          statistics,
          plannedEnd: {
            at: dayAt(5),
            groups: [groupOf('control', 3010), groupOf('b', 3010)],
            metrics: { groups: ended, quantiles: [] },
          },
        },
      ),
    );
    expect(report.goals.map(({ measured }) => measured![1]!.visitors)).toEqual([3000, 4000]);
    expect(report.verdict).toMatchObject({ visitors: 6000, pending: 20, plannedVisitors: 6020 });
    expect(report.notes.map(({ note }) => note)).toEqual(['planned-end', 'pending-visitors']);
  });
});

describe('a metric as a guardrail', () => {
  const goals = (more: object = {}) => [
    goalOf('signup'),
    metricGoal(weekly, { id: 'm', role: 'guardrail', lowerIsBetter: true, maxHarm: 0.1, ...more }),
  ];
  const reportOf = (b: number, more: Partial<ReportInput> = {}, pending = 0) => {
    const input = metricInput(goals(), { groups: groups(pending, b) }, more);
    const converted = (key: string, count: number) =>
      groupOf(key, 8000, { goals: [convertedOnce('signup', count)] });
    return buildReport({ ...input, groups: [converted('control', 800), converted('b', 1000)] });
  };

  it('is harmed, and the test is rolled back', () => {
    const report = reportOf(0.2);
    expect(report.goals[1]).toMatchObject({ state: 'harmed', maxHarm: 0.1 });
    expect(report.verdict!.decision).toBe('roll-back');
    expect(report.verdict!.sentences.guardrails).toBe(
      'Guardrails: Metric m got worse, 15.0 % → 20.0 %, +33 %, between +15 % and +55 %.',
    );
  });

  it('is safe', () => {
    expect(reportOf(0.12)).toMatchObject({ goals: [{}, { state: 'safe' }], verdict: { decision: 'ship' } });
  });

  it('is compared always-valid, whatever the method of the test', () => {
    const plan = { plannedVisitors: 20_000, statistics: { ...DEFAULT_STATISTICS, engine: 'auto' as const } };
    const [planned, open] = [reportOf(0.17, plan), reportOf(0.17)];
    expect([planned.engine, open.engine]).toEqual(['group-sequential', 'sequential']);
    expect(planned.goals[1]!.metrics).toEqual(open.goals[1]!.metrics);
    expect(planned.goals[0]!.metrics).not.toEqual(open.goals[0]!.metrics);
  });

  it('is open, for as many days as its own visitors take', () => {
    const daysOf = (pending: number) =>
      reportOf(0.15, { exposures: exposures(1600) }, pending).verdict!.guardrails[0]!;
    // The information is that of 8,000 visitors, although 16,000 came.
    expect(daysOf(4000)).toMatchObject({ state: 'open', visitors: 8000 });
    const { daysLeft } = daysOf(4000);
    const total = 8000 + 1600 * daysLeft!;
    const error = (visitors: number) => Math.sqrt((2 * 0.15 * 0.85) / (visitors / 2)) / 0.15;
    expect(3.1 * error(total)).toBeLessThan(0.11);
    expect(3.1 * error(total - 3200)).toBeGreaterThan(0.095);
  });
});

describe('early, a test collects data', () => {
  it('until a quantile has enough values on either side', () => {
    const goal = metricGoal({ kind: 'quantile', quantile: 0.9, format: 'seconds' });
    const of = (visitors: number) =>
      buildReport(
        metricInput([goal], {
          quantiles: ['control', 'b'].map((key) => quantileOf(key, 1.8, 0.2, { visitors })),
        }),
      ).verdict!;
    expect(of(124).sentences.decision).toBe(
      'Collecting data: 248 of the 250 visitors with values of "Metric m" that a first evaluation needs.',
    );
    expect(of(125).decision).not.toBe('collecting');
  });

  it('and a variation that nobody reaches the metric in is a problem', () => {
    const own = [metricGroup('control', 1000, 100), metricGroup('b', 1000, 0)];
    const problems = (lowerIsBetter: boolean) =>
      buildReport(metricInput([metricGoal(weekly, { lowerIsBetter })], { groups: own })).problems;
    expect(problems(false)).toMatchObject([{ problem: 'missing-conversions', variation: 'b', expected: 50 }]);
    expect(problems(true)).toEqual([]);
  });
});

describe('notes', () => {
  const notesOf = (input: ReportInput) =>
    buildReport(input)
      .notes.filter(({ note }) => note !== 'moved-visitors')
      .map(({ words }) => words);
  const settings = { ...DEFAULT_STATISTICS, cuped: true, winsorize: 0.99, stratify: ['country'] as const };

  it('say which settings metrics do not use', () => {
    const statistics = { ...settings, stratify: [...settings.stratify] } as ReportInput['statistics'];
    expect(notesOf(metricInput([metricGoal(weekly)], { groups: groups() }, { statistics }))).toEqual([
      'Metrics are compared without CUPED, winsorizing and strata of attributes. A metric has a cap of its own.',
    ]);
    expect(notesOf(metricInput([goalOf('signup')], {}, { statistics }))).toEqual([]);
  });

  it('say that a quantile compares another mix of new and returning visitors', () => {
    const of = (returning: number, kind: 'quantile' | 'retention' = 'quantile') => {
      const input = metricInput([metricGoal({ kind, quantile: 0.5 })], { groups: [] });
      const mix = (key: string, back: number) => [
        groupOf(key, 1000 - back),
        groupOf(key, back, { returning: true }),
        groupOf(key, 500, { returning: true, moved: true }),
        groupOf(key, 500, { returning: true, bot: true }),
      ];
      return notesOf({ ...input, groups: [...mix('control', 300), ...mix('b', returning)] });
    };
    expect(of(100)).toEqual([
      'Quantiles compare all visitors of a variation together: 30 % of them have come back from an earlier phase in "control", and 10 % in "b". A difference of a quantile may come from that.',
    ]);
    expect(of(319)).toEqual([]);
    expect(of(321)).toHaveLength(1);
    expect(of(100, 'retention')).toEqual([]);
  });
});
