import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS, type StatisticsSettings } from '../../api/statistics.ts';
import { DAY_MS } from '../../time.ts';
import { buildReport } from './report.ts';
import { noGoalSums } from './report-counts.ts';
import type { ReportGoalSums, ReportGroup, ReportInput } from './report-input.ts';

const START = Date.UTC(2026, 0, 1);

/** Sums with value 1 for `converted` visitors, of whom `before` also had value 1 before the test. */
function sums(goalId: string, converted: number, before = 0): ReportGoalSums {
  const none = noGoalSums(goalId);
  const covariates = { covariateSum: before, covariateSumSquares: before, covariateProduct: before };
  return {
    ...none,
    converted,
    conversions: { sum: converted, sumSquares: converted, ...covariates },
    convertedCovariate: before,
  };
}

const group = (
  variationKey: string | null,
  visitors: number,
  more: Partial<ReportGroup> = {},
): ReportGroup => ({
  variationKey,
  bot: false,
  early: false,
  visitors,
  goals: [],
  ...more,
});

function input(groups: ReportGroup[], more: Partial<ReportInput> = {}): ReportInput {
  const goal = { name: 'Sign-ups', kind: 'count', lowerIsBetter: false } as const;
  return {
    variations: [
      { key: 'control', weight: 1 },
      { key: 'b', weight: 1 },
    ],
    goals: [{ id: 'signup', role: 'primary', ...goal }],
    statistics: DEFAULT_STATISTICS,
    smallestEffect: null,
    plannedVisitors: null,
    includeBots: false,
    groups,
    exposures: [START, START + DAY_MS].flatMap((at) =>
      ['control', 'b'].map((variationKey) => ({ at, variationKey, bot: false, exposures: 500 })),
    ),
    startedAt: START,
    endedAt: null,
    asOf: START + 2 * DAY_MS,
    ...more,
  };
}

const tested = (b: number, more: Partial<ReportInput> = {}) =>
  input(
    [
      group('control', 1000, { goals: [sums('signup', 100)] }),
      group('b', 1000, { goals: [sums('signup', b)] }),
    ],
    more,
  );

describe('a report', () => {
  it('ships a clear improvement and rolls back a clear regression', () => {
    expect(buildReport(tested(220)).verdict).toMatchObject({ decision: 'ship', variation: 'b' });
    expect(buildReport(tested(30)).verdict).toMatchObject({ decision: 'roll-back' });
  });

  it('estimates the same number of days with steady traffic at any time of day', () => {
    const daily = (days: number, hours: number) => {
      const at = (day: number) => START + day * DAY_MS;
      const exposures = Array.from({ length: days + 1 }, (_, day) => day).flatMap((day) =>
        ['control', 'b'].map((variationKey) => ({
          at: at(day),
          variationKey,
          bot: false,
          exposures: 100 * (day < days ? 24 : hours),
        })),
      );
      const asOf = at(days) + (hours * DAY_MS) / 24;
      return buildReport(tested(135, { exposures, asOf })).verdict!.daysLeft!;
    };
    for (const hours of [1, 12, 23]) {
      const traffic = (9 * 24 + hours) / (9 * 24);
      expect(Math.abs(daily(9, hours) - daily(9, 0) * traffic)).toBeLessThanOrEqual(2);
    }
  });

  it('keeps going while the result is not significant, and forecasts the end', () => {
    const { verdict } = buildReport(tested(135));
    expect(verdict).toMatchObject({ decision: 'keep-going', forecast: { inSight: true } });
    expect(verdict?.sentences.next).toMatch(
      /^Next: wait, probably (up|[\d,]+) to [\d,]+ more (days|weeks)\.$/,
    );
  });

  it('collects data until there are enough conversions', () => {
    const groups = [
      group('control', 200, { goals: [sums('signup', 10)] }),
      group('b', 200, { goals: [sums('signup', 15)] }),
    ];
    const { verdict, problems } = buildReport(input(groups));
    expect(problems).toEqual([]);
    // 25 conversions in two days.
    expect(verdict).toMatchObject({
      decision: 'collecting',
      collecting: { conversions: 25, required: 50 },
      daysLeft: 2,
    });
  });

  it('uses the planned number of visitors for a group-sequential test', () => {
    const planned = buildReport(tested(160, { plannedVisitors: 4000 }));
    expect(planned).toMatchObject({ engine: 'group-sequential', plannedShare: 0.5 });
    expect(planned.verdict).toMatchObject({ decision: 'ship', plannedVisitors: 4000 });
    expect(buildReport(tested(160))).toMatchObject({ engine: 'sequential', plannedShare: null });
    const engine = (engine: StatisticsSettings['engine'], plannedVisitors: number | null) =>
      buildReport(tested(160, { statistics: { ...DEFAULT_STATISTICS, engine }, plannedVisitors })).engine;
    expect(engine('sequential', 4000)).toBe('sequential');
    expect(engine('group-sequential', null)).toBe('sequential');
    expect(engine('frequentist', 4000)).toBe('frequentist');
  });

  it('never reports a relative change below -100 %, unless refunds make revenue negative', () => {
    const goals = [
      { id: 'order', role: 'primary', name: 'Orders', kind: 'revenue', lowerIsBetter: false } as const,
    ];
    const revenue = (total: number, converted = total): ReportGoalSums => ({
      ...noGoalSums('order'),
      converted: 40,
      amount: { ...noGoalSums('order').amount, sum: total, sumSquares: total * total },
      convertedAmount: converted,
    });
    const low = (...b: [number, number?]) => {
      const groups = [
        group('control', 500, { goals: [revenue(900)] }),
        group('b', 500, { goals: [revenue(...b)] }),
      ];
      return buildReport(input(groups, { goals })).goals[0]!.metrics[0]!.variations[1]!.relative!.low;
    };
    expect(low(300)).toBe(-1);
    expect(low(300, 310)).not.toBe(-1);
  });

  it('reverses the verdict if lower is better', () => {
    const goal = {
      id: 'signup',
      role: 'primary',
      name: 'Errors',
      kind: 'count',
      lowerIsBetter: true,
    } as const;
    expect(buildReport(tested(220, { goals: [goal] })).verdict).toMatchObject({ decision: 'roll-back' });
    expect(buildReport(tested(30, { goals: [goal] })).verdict).toMatchObject({ decision: 'ship' });
  });

  it('expects no exposures on paused days', () => {
    const week = { ...tested(115), asOf: START + 7 * DAY_MS };
    const exposures = [0, 1, 5, 6].map((day) => ({ ...week.exposures[0]!, at: START + day * DAY_MS }));
    const missing = { problem: 'missing-exposures', days: 3 };
    expect(buildReport({ ...week, exposures }).problems).toMatchObject([missing]);
    const pauses = [{ from: START + 1.5 * DAY_MS, to: START + 5.2 * DAY_MS }];
    expect(buildReport({ ...week, exposures, pauses }).problems).toEqual([]);
    const early = [{ from: START + 4 * DAY_MS, to: null }];
    expect(buildReport({ ...week, exposures, pauses: early }).problems).toMatchObject([
      { ...missing, days: 2 },
    ]);
  });

  it('ignores exposures dated before the start in health checks', () => {
    const week = { ...tested(115), asOf: START + 7 * DAY_MS };
    const daily = Array.from({ length: 7 }, (_, day) => ({
      ...week.exposures[0]!,
      at: START + day * DAY_MS,
    }));
    const forged = [-8, -20_000].map((day) => ({
      ...week.exposures[0]!,
      at: START + day * DAY_MS,
      exposures: 1,
    }));
    expect(buildReport({ ...week, exposures: [...forged, ...daily] }).problems).toEqual([]);
    const gap = daily.filter((_, day) => day !== 3);
    expect(buildReport({ ...week, exposures: [...forged, ...gap] }).problems).toMatchObject([
      { problem: 'missing-exposures', days: 1 },
    ]);
  });

  it('has no winner if the test is unhealthy', () => {
    const groups = [
      group('control', 1000, { goals: [sums('signup', 100)] }),
      group('b', 700, { goals: [sums('signup', 220)] }),
    ];
    const { verdict, problems } = buildReport(input(groups));
    expect(verdict?.decision).toBe('unhealthy');
    expect(problems.map(({ problem }) => problem)).toContain('sample-ratio-mismatch');
    const mixed = buildReport(input([...tested(220).groups, group(null, 100)]));
    expect(mixed).toMatchObject({ mixedVisitors: 100, verdict: { decision: 'unhealthy' } });
  });

  it('sums up groups and excludes bots by default', () => {
    const groups = [
      group('control', 600, { early: true, goals: [sums('signup', 60)] }),
      group('control', 400, { goals: [sums('signup', 40)] }),
      group('b', 1000, { goals: [sums('signup', 100)] }),
      group('b', 50, { bot: true, goals: [sums('signup', 50)] }),
    ];
    const people = buildReport(input(groups));
    expect(people.goals[0]?.counts).toMatchObject([
      { key: 'control', visitors: 1000, converted: 100 },
      { key: 'b', visitors: 1000, converted: 100 },
    ]);
    expect(people.variations[1]).toMatchObject({ visitors: 1000, bots: 50 });
    const all = buildReport(input(groups, { includeBots: true }));
    expect(all.goals[0]?.counts[1]).toMatchObject({ visitors: 1050, converted: 150 });
  });

  it('has tighter intervals with CUPED if earlier behaviour predicts conversions', () => {
    const groups = [
      group('control', 1000, { goals: [sums('signup', 100, 90)] }),
      group('b', 1000, { goals: [sums('signup', 120, 108)] }),
    ];
    const width = (cuped: boolean) => {
      const { goals } = buildReport(input(groups, { statistics: { ...DEFAULT_STATISTICS, cuped } }));
      const { low, high } = goals[0]!.metrics[0]!.variations[1]!.absolute!;
      return high! - low!;
    };
    expect(width(true)).toBeLessThan(0.5 * width(false));
    // Without earlier data, CUPED has no effect.
    const plain = tested(120);
    const off = buildReport(plain).goals;
    expect(buildReport({ ...plain, statistics: { ...DEFAULT_STATISTICS, cuped: true } }).goals).toEqual(off);
  });

  it.each(['sequential', 'frequentist', 'bayesian'] as const)(
    'uses the engine of the property: %s',
    (engine) => {
      const { goals } = buildReport(tested(150, { statistics: { ...DEFAULT_STATISTICS, engine } }));
      const result = goals[0]!.metrics[0]!.variations[1]!;
      expect(result.pValue === null).toBe(engine === 'bayesian');
      expect(result.chanceToBeat === null).toBe(engine !== 'bayesian');
    },
  );

  it('corrects the deciding metric of the primary goal for the variations, and not for other goals', () => {
    const goal = { name: 'Sign-ups', kind: 'count', lowerIsBetter: false } as const;
    const goals = [
      { id: 'signup', role: 'primary', ...goal },
      { id: 'other', role: 'secondary', ...goal },
    ] as const;
    const both = [sums('signup', 150), sums('other', 100)];
    const control = [sums('signup', 100), sums('other', 100)];
    const groups = [group('control', 1000, { goals: control }), group('b', 1000, { goals: both })];
    const { metrics } = buildReport(input(groups, { goals })).goals[0]!;
    const [rate, count] = metrics.map(({ variations }) => variations[1]!);
    expect(rate!.adjustedPValue).toBe(rate!.pValue);
    expect(count!.adjustedPValue).toBe(count!.pValue);
    const variations = ['control', 'b', 'c'].map((key) => ({ key, weight: 1 }));
    const three = [...groups, group('c', 1000, { goals: both })];
    const report = buildReport(input(three, { goals, variations }));
    const [primary, secondary] = report.goals.map(({ metrics: [first] }) => first!.variations[1]!);
    expect(primary!.adjustedPValue).toBeCloseTo(2 * primary!.pValue!, 12);
    expect(secondary!.adjustedPValue).toBe(1);
  });

  it('has no numbers for a test without visitors', () => {
    const report = buildReport(input([], { exposures: [] }));
    expect(report.variations.map(({ visitors }) => visitors)).toEqual([0, 0]);
    expect(report.verdict?.decision).toBe('collecting');
    expect(JSON.stringify(report)).not.toMatch(/NaN|∞|Infinity/);
    expect(buildReport(input([], { goals: [] })).verdict).toBeNull();
  });
});

describe('feedback', () => {
  const nps = (option: string | null, lowerIsBetter = false) =>
    ({
      id: option === null ? 'feedback:nps' : `feedback:nps:${option}`,
      name: 'NPS',
      kind: 'feedback',
      role: 'primary',
      feedbackTypeId: 'nps',
      option,
      lowerIsBetter,
    }) as const;
  /** Visitors who answered, and those of them who chose "bad". */
  const answers = (key: string, visitors: number, answered: number, bad: number, more = {}) =>
    group(key, visitors, {
      goals: [sums('feedback:nps', answered, 30), sums('feedback:nps:bad', bad, 10)],
      ...more,
    });

  it('without an option: the share of visitors who answered', () => {
    const groups = [answers('control', 1000, 100, 0), answers('b', 1000, 200, 0)];
    const report = buildReport(input(groups, { goals: [nps(null)] }));
    const [goal] = report.goals;
    expect(goal!.metrics.map(({ metric, decides }) => [metric, decides])).toEqual([['answer-rate', true]]);
    expect(goal!.metrics[0]!.variations).toMatchObject([
      { n: 1000, mean: 0.1 },
      { n: 1000, mean: 0.2 },
    ]);
    expect(goal!.counts[1]).toMatchObject({ visitors: 1000, answered: 200, converted: 200 });
    expect(report.verdict).toMatchObject({ decision: 'ship' });
  });

  it('with an option: its share among those who answered, like a test of only those visitors', () => {
    const groups = [answers('control', 1000, 300, 150), answers('b', 1000, 400, 80)];
    const report = buildReport(input(groups, { goals: [nps('bad', true)] }));
    const [share, rate] = report.goals[0]!.metrics;
    expect([share, rate]).toMatchObject([
      { metric: 'option-share', decides: true },
      { metric: 'answer-rate', decides: false },
    ]);
    expect(rate!.variations).toMatchObject([
      { n: 1000, mean: 0.3 },
      { n: 1000, mean: 0.4 },
    ]);
    const among = input([
      group('control', 300, { goals: [sums('signup', 150)] }),
      group('b', 400, { goals: [sums('signup', 80)] }),
    ]);
    expect(share!.variations).toEqual(buildReport(among).goals[0]!.metrics[0]!.variations);
    expect(report.verdict).toMatchObject({ decision: 'ship', guardrails: [] });
  });

  it('CUPED changes the answer rate but not the share of an option', () => {
    const groups = [answers('control', 1000, 300, 150), answers('b', 1000, 400, 160)];
    const metrics = (cuped: boolean) => {
      const statistics = { ...DEFAULT_STATISTICS, cuped };
      return buildReport(input(groups, { goals: [nps('bad')], statistics })).goals[0]!.metrics;
    };
    expect(metrics(true)[0]).toEqual(metrics(false)[0]);
    expect(metrics(true)[1]).not.toEqual(metrics(false)[1]);
  });

  it('needs enough visitors who chose the option, however many answered', () => {
    const groups = [answers('control', 1000, 500, 40), answers('b', 1000, 500, 24)];
    const { verdict } = buildReport(input(groups, { goals: [nps('bad')] }));
    expect(verdict?.decision).toBe('keep-going');
    const few = [answers('control', 1000, 500, 25), answers('b', 1000, 500, 24)];
    expect(buildReport(input(few, { goals: [nps('bad')] })).verdict).toMatchObject({
      decision: 'collecting',
      collecting: { conversions: 49, required: 50 },
    });
  });

  it('novelty compares the shares, not how many answered', () => {
    const groups = (lateBad: number) => [
      answers('control', 1000, 500, 250, { early: true }),
      answers('b', 1000, 500, 250, { early: true }),
      answers('control', 1000, 600, 300),
      // Far fewer answered later in b.
      answers('b', 1000, 200, lateBad),
    ];
    const problemsOf = (lateBad: number) =>
      buildReport(input(groups(lateBad), { goals: [nps('bad')] })).problems.map(({ problem }) => problem);
    expect(problemsOf(100)).toEqual([]);
    expect(problemsOf(180)).toEqual(['novelty']);
  });

  it('has no share while nobody has answered', () => {
    const groups = [answers('control', 1000, 0, 0), answers('b', 1000, 0, 0)];
    const report = buildReport(input(groups, { goals: [nps('bad')] }));
    expect(report.goals[0]!.metrics[0]!.variations[1]).toMatchObject({ n: 0, mean: null, pValue: null });
    expect(JSON.stringify(report)).not.toMatch(/NaN|∞|Infinity/);
  });
});
