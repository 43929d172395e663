import { describe, expect, it } from 'vitest';
import { metricGoal, metricGroup, quantileOf } from '../../testing/metric-cases.ts';
import { convertedOnce, dayAt, goalOf, groupOf, inputOf } from '../../testing/report-cases.ts';
import type { ReportGroup, ReportInput } from './report-input.ts';
import { rolloutPhase } from './rollout-report.ts';

const SIGNUP = goalOf('signup', { role: 'guardrail', maxHarm: 0.02 });

const reached = (key: string, visitors: number, converted: number, more: Partial<ReportGroup> = {}) =>
  groupOf(key, visitors, { goals: [convertedOnce('signup', converted)], ...more });

/** A quarter is inside. */
const inputWith = (groups: readonly ReportGroup[], more: Partial<ReportInput> = {}) =>
  inputOf(groups, {
    variations: [
      { key: 'off', weight: 75 },
      { key: 'on', weight: 25 },
    ],
    goals: [SIGNUP],
    ...more,
  });
const phaseOf = (...given: Parameters<typeof inputWith>) => rolloutPhase(inputWith(...given));

const HEALTHY = [reached('off', 3000, 300), reached('on', 1000, 100)];
/** Newcomers do worse inside, and those who came before do better, also those who have moved. */
const KNOWN = [
  reached('off', 3000, 300),
  reached('on', 1000, 80),
  reached('off', 3000, 1200, { returning: true }),
  reached('on', 200, 100, { returning: true }),
  reached('on', 800, 400, { returning: true, moved: true }),
];
/** The same people, without a look at earlier phases. */
const EVERYBODY = [reached('off', 6000, 1500), reached('on', 2000, 580)];

describe('a phase of a rollout', () => {
  it('has everybody who came, and newcomers apart', () => {
    const found = rolloutPhase(inputWith(EVERYBODY), inputWith(KNOWN));
    expect(found).toMatchObject({ visitorsInside: 2000, visitorsOutside: 6000, percentage: 25 });
    expect(found.effects[0]!.everybody.improvement).toBeCloseTo(0.16, 10);
    expect(found.effects[0]!.newcomers.improvement).toBeCloseTo(-0.2, 10);
    expect(found.guardrails[0]!.goal).toMatchObject({ control: 0.25, variation: 0.29 });
  });

  it('has no others than newcomers if it is the first one', () => {
    const [effect] = phaseOf(EVERYBODY).effects;
    expect(effect!.newcomers).toEqual(effect!.everybody);
  });

  it('has figures that show harm, of newcomers if everybody together does better', () => {
    const worseIn = (...inputs: Parameters<typeof rolloutPhase>) =>
      rolloutPhase(...inputs).guardrails[0]!.worse;
    expect(worseIn(inputWith(EVERYBODY), inputWith(KNOWN))).toMatchObject({ control: 0.1, variation: 0.08 });
    const worse = inputWith([reached('off', 3000, 300), reached('on', 1000, 90)]);
    expect(worseIn(worse, inputWith(KNOWN))).toMatchObject({ control: 0.1, variation: 0.09 });
    expect(worseIn(inputWith(EVERYBODY))).toBeNull();
  });

  it('knows nothing of newcomers until they have enough conversions of their own', () => {
    const few = [reached('off', 60, 6), reached('on', 20, 0), reached('off', 3000, 300, { returning: true })];
    const [effect] = rolloutPhase(inputWith(HEALTHY), inputWith(few)).effects;
    expect(effect!.everybody.improvement).toBeCloseTo(0, 10);
    expect(effect!.newcomers.improvement).toBeNull();
  });

  it('divides metrics in the same way, but not quantiles', () => {
    const goals = [metricGoal({}, { role: 'guardrail' })];
    const metrics = (...groups: ReturnType<typeof metricGroup>[]) => ({ groups, quantiles: [] });
    const [counted] = rolloutPhase(
      inputWith(HEALTHY, {
        goals,
        metrics: metrics(metricGroup('off', 3000, 300), metricGroup('on', 1000, 110)),
      }),
      inputWith(HEALTHY, {
        goals,
        metrics: metrics(
          metricGroup('off', 2000, 200),
          metricGroup('on', 700, 56),
          metricGroup('off', 1000, 100, { returning: true }),
          metricGroup('on', 300, 54, { returning: true }),
        ),
      }),
    ).effects;
    expect(counted!.everybody.improvement).toBeCloseTo(0.1, 10);
    expect(counted!.newcomers.improvement).toBeCloseTo(-0.2, 10);
    const time = metricGoal({ kind: 'quantile', quantile: 0.5 }, { role: 'guardrail', lowerIsBetter: true });
    const quantiles = [quantileOf('off', 2, 0.02), quantileOf('on', 3, 0.03)];
    const timed = inputWith(HEALTHY, { goals: [time], metrics: { groups: [], quantiles } });
    expect(rolloutPhase(timed, timed).effects[0]!.newcomers.improvement).toBeNull();
    expect(rolloutPhase(timed, timed).effects[0]!.everybody.improvement).toBeCloseTo(-0.5, 10);
    expect(rolloutPhase(timed).effects[0]!.newcomers.improvement).toBeCloseTo(-0.5, 10);
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
