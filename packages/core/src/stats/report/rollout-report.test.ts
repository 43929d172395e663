import { describe, expect, it } from 'vitest';
import { metricGoal, metricGroup, quantileOf } from '../../testing/metric-cases.ts';
import { convertedOnce, dayAt, goalOf, groupOf, inputOf } from '../../testing/report-cases.ts';
import type { ReportGroup, ReportInput } from './report-input.ts';
import { rolloutPhase } from './rollout-report.ts';

const SIGNUP = goalOf('signup', { role: 'guardrail', maxHarm: 0.02 });

const reached = (key: string, visitors: number, converted: number, more: Partial<ReportGroup> = {}) =>
  groupOf(key, visitors, { goals: [convertedOnce('signup', converted)], ...more });

/** A quarter is inside. */
const phaseOf = (groups: readonly ReportGroup[], more: Partial<ReportInput> = {}) =>
  rolloutPhase(
    inputOf(groups, {
      variations: [
        { key: 'off', weight: 75 },
        { key: 'on', weight: 25 },
      ],
      goals: [SIGNUP],
      ...more,
    }),
  );

const HEALTHY = [reached('off', 3000, 300), reached('on', 1000, 100)];

/** Newcomers do worse inside, and those who return do better. */
const MIXED = [
  reached('off', 3000, 300),
  reached('on', 1000, 80),
  reached('off', 2000, 800, { returning: true }),
  reached('on', 200, 100, { returning: true }),
];

describe('a phase of a rollout', () => {
  it('compares newcomers and those who return among themselves, and everybody for the figures', () => {
    const { effects, guardrails, visitorsInside } = phaseOf([
      ...MIXED,
      reached('on', 900, 900, { returning: true, moved: true }),
    ]);
    expect(visitorsInside).toBe(1200);
    expect(effects[0]!.newcomers.improvement).toBeCloseTo(-0.2, 10);
    expect(effects[0]!.returning.improvement).toBeCloseTo(0.25, 10);
    expect(guardrails[0]!.goal).toMatchObject({ control: 0.22, variation: 0.15 });
  });

  it('has figures that show harm, of newcomers if everybody together does better', () => {
    expect(phaseOf(MIXED).guardrails[0]!.worse).toMatchObject({ control: 0.1, variation: 0.08 });
    const worse = [reached('off', 3000, 300), reached('on', 1000, 80)];
    const [guardrail] = phaseOf(worse).guardrails;
    expect(guardrail!.worse).toBe(guardrail!.goal);
    const better = [reached('off', 3000, 300), reached('on', 1000, 120)];
    expect(phaseOf(better).guardrails[0]!.worse).toBeNull();
    const returning = [...better, reached('off', 3000, 300, { returning: true })];
    expect(
      phaseOf([...returning, reached('on', 1000, 90, { returning: true })]).guardrails[0]!.worse,
    ).toMatchObject({ control: 0.1, variation: 0.09 });
  });

  it('knows nothing of those who return until they have enough conversions of their own', () => {
    const [effect] = phaseOf([
      ...HEALTHY,
      reached('off', 2000, 200, { returning: true }),
      reached('on', 40, 0, { returning: true }),
    ]).effects;
    expect(effect!.newcomers.improvement).toBeCloseTo(0, 10);
    expect(effect!.returning.improvement).toBeNull();
  });

  it('divides metrics in the same way, but not quantiles', () => {
    const goal = metricGoal({}, { role: 'guardrail' });
    const groups = [
      metricGroup('off', 3000, 300),
      metricGroup('on', 1000, 80),
      metricGroup('off', 2000, 800, { returning: true }),
      metricGroup('on', 200, 100, { returning: true }),
    ];
    const [counted] = phaseOf(HEALTHY, { goals: [goal], metrics: { groups, quantiles: [] } }).effects;
    expect(counted!.newcomers.improvement).toBeCloseTo(-0.2, 10);
    expect(counted!.returning.improvement).toBeCloseTo(0.25, 10);
    const time = metricGoal({ kind: 'quantile', quantile: 0.5 }, { role: 'guardrail', lowerIsBetter: true });
    const quantiles = [quantileOf('off', 2, 0.02), quantileOf('on', 3, 0.03)];
    const [timed] = phaseOf(HEALTHY, { goals: [time], metrics: { groups: [], quantiles } }).effects;
    expect(timed!.newcomers.improvement).toBeNull();
    expect(timed!.returning.improvement).toBeCloseTo(-0.5, 10);
  });
});

describe('missing exposures in a phase', () => {
  /** Two weeks of an office, by day: those outside and those inside. */
  const exposed = (onDay: (day: number) => readonly [number, number]) => ({
    asOf: dayAt(14),
    exposures: Array.from({ length: 14 }, (_, day) => day).flatMap((day) =>
      onDay(day).map((exposures, at) => ({
        at: dayAt(day),
        variationKey: at === 0 ? 'off' : 'on',
        bot: false,
        exposures,
      })),
    ),
  });
  const isWeekend = (day: number) => day % 7 >= 5;
  const phaseWith = (onDay: (day: number) => readonly [number, number]) =>
    phaseOf(
      HEALTHY,
      exposed((day) => onDay(day)),
    );

  it('on days on which nobody came are the same for all, and do not matter', () => {
    expect(phaseWith((day) => (isWeekend(day) ? [0, 0] : [300, 100]))).toMatchObject({
      isComparable: true,
      problems: [],
    });
  });

  it('of one side on a day on which the other had many prevent a comparison', () => {
    const withoutInside = phaseWith((day) => (day === 3 ? [300, 0] : [300, 100]));
    expect(withoutInside.isComparable).toBe(false);
    expect(withoutInside.problems).toEqual([
      'On 1 day of the test, no exposure of "on" arrived, but others did. Check that every page of the test still loads the SDK, and that its requests succeed.',
    ]);
    const withoutOutside = phaseWith((day) => (day < 2 ? [0, 100] : [300, 100]));
    expect(withoutOutside.problems[0]).toMatch(/^On 2 days of the test, no exposure of "off"/);
  });

  it('of one side may be chance if the other had few', () => {
    expect(phaseWith((day) => (isWeekend(day) ? [59, 0] : [300, 100])).isComparable).toBe(true);
    expect(phaseWith((day) => (isWeekend(day) ? [60, 0] : [300, 100])).isComparable).toBe(false);
    expect(phaseWith((day) => (isWeekend(day) ? [0, 6] : [300, 100])).isComparable).toBe(true);
  });

  it('in the whole phase prevent a comparison', () => {
    expect(phaseOf([reached('off', 3000, 300)]).isComparable).toBe(false);
  });

  it('do not matter on the first and last day, during pauses, or of crawlers', () => {
    const days = exposed((day) => (day === 3 ? [300, 0] : [300, 100]));
    expect(phaseOf(HEALTHY, { ...days, startedAt: dayAt(3) + 1 }).isComparable).toBe(true);
    expect(phaseOf(HEALTHY, { ...days, endedAt: dayAt(4) - 1 }).isComparable).toBe(true);
    expect(phaseOf(HEALTHY, { ...days, pauses: [{ from: dayAt(3), to: dayAt(4) }] }).isComparable).toBe(true);
    const exposures = days.exposures.map((it) => ({ ...it, bot: it.at === dayAt(3) }));
    expect(phaseOf(HEALTHY, { ...days, exposures }).isComparable).toBe(true);
  });
});
