import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { metricGoal, metricGroup, metricInput, quantileOf } from '../../testing/metric-cases.ts';
import { convertedOnce, dayAt, goalOf, groupOf, inputOf, sumsOf } from '../../testing/report-cases.ts';
import { findHarm } from './harm.ts';
import type { ReportInput } from './report-input.ts';

const SIGNUP = goalOf('signup', { name: 'Sign-ups' });
const RENEWAL = goalOf('renewal', { name: 'Renewals', role: 'guardrail', maxHarm: 0.02 });
const COMPLAINT = goalOf('complaint', { name: 'Complaints', role: 'guardrail', lowerIsBetter: true });

/** Visitors of a variation, and how many of them reached each goal. */
const group = (key: string, visitors: number, converted: Record<string, number>) =>
  groupOf(key, visitors, { goals: Object.entries(converted).map(([id, count]) => convertedOnce(id, count)) });

const harmsIn = (groups: ReportInput['groups'], more: Partial<ReportInput> = {}, phase = 1) =>
  findHarm(inputOf(groups, { goals: [SIGNUP, RENEWAL, COMPLAINT], ...more }), phase).harms;

const GOOD = { signup: 1000, renewal: 500, complaint: 50 };
const CONTROL = group('control', 10_000, GOOD);

const three = (second: Record<string, number>, third: Record<string, number>) =>
  [CONTROL, group('b', 10_000, second), group('video', 10_000, third)] as const;
const VARIATIONS = ['control', 'b', 'video'].map((key) => ({ key, weight: 1 }));

describe('harm', () => {
  it('is a goal that got worse beyond chance, with its figures', () => {
    const [harm, ...others] = harmsIn([CONTROL, group('b', 10_000, { ...GOOD, renewal: 390 })]);
    expect(others).toEqual([]);
    expect(harm).toMatchObject({
      variation: 'b',
      goals: [{ id: 'renewal', role: 'guardrail', maxHarm: 0.02 }],
    });
    expect(harm!.words).toBe(
      'Renewals got worse: 5.0 % → 3.9 %, -22 %, between -37 % and -4.1 %, margin 2 %',
    );
  });

  it('may be of the primary goal, or of one where less is better', () => {
    const goalsOf = (converted: Record<string, number>) =>
      harmsIn([CONTROL, group('b', 10_000, converted)])[0]?.goals.map(({ id }) => id);
    expect(goalsOf({ ...GOOD, signup: 820 })).toEqual(['signup']);
    expect(goalsOf({ ...GOOD, complaint: 120 })).toEqual(['complaint']);
    expect(goalsOf({ ...GOOD, signup: 820, complaint: 120 })).toEqual(['signup', 'complaint']);
    expect(goalsOf({ signup: 1200, renewal: 620, complaint: 20 })).toBeUndefined();
    expect(goalsOf(GOOD)).toBeUndefined();
  });

  it('is none while it may be chance', () => {
    expect(harmsIn([CONTROL, group('b', 10_000, { ...GOOD, renewal: 430 })])).toEqual([]);
  });

  it('is none within the margin, even if it is certain', () => {
    const large = (renewal: number) => [
      group('control', 1_000_000, { renewal: 500_000 }),
      group('b', 1_000_000, { renewal }),
    ];
    const goals = [{ ...SIGNUP, role: 'secondary' as const }, RENEWAL];
    expect(harmsIn(large(495_000), { goals })).toEqual([]);
    expect(harmsIn(large(485_000), { goals })).toHaveLength(1);
    // The smallest effect is the margin of the primary goal; without one, none is accepted.
    const primary = [goalOf('renewal')];
    expect(harmsIn(large(495_000), { goals: primary, smallestEffect: 0.02 })).toEqual([]);
    expect(harmsIn(large(495_000), { goals: primary })).toHaveLength(1);
  });

  it('may be of a metric, once enough windows are over', () => {
    const goal = metricGoal({ withinDays: 7 }, { name: 'Orders', role: 'guardrail', maxHarm: 0.02 });
    const harmsOf = (visitors: number, control: number, b: number) => {
      const groups = [metricGroup('control', visitors, control), metricGroup('b', visitors, b)];
      return findHarm(metricInput([goal], { groups }), 1).harms;
    };
    expect(harmsOf(10_000, 500, 390)).toMatchObject([{ variation: 'b', goals: [{ id: 'metric:m' }] }]);
    expect(harmsOf(10_000, 500, 480)).toEqual([]);
    expect(harmsOf(40, 20, 0)).toEqual([]);
  });

  it('may be of a quantile', () => {
    const goal = metricGoal({ kind: 'quantile', quantile: 0.9, format: 'seconds' }, { lowerIsBetter: true });
    const harmsOf = (seconds: number) =>
      findHarm(
        metricInput([goal], { quantiles: [quantileOf('control', 2, 0.02), quantileOf('b', seconds, 0.02)] }),
        1,
      ).harms;
    expect(harmsOf(2.4)).toMatchObject([{ variation: 'b', goals: [{ unit: 'seconds' }] }]);
    expect(harmsOf(1.6)).toEqual([]);
  });

  it('may be revenue that falls to nothing, which has no spread', () => {
    const goals = [goalOf('revenue', { kind: 'revenue', name: 'Revenue' })];
    const buyers = (key: string, count: number) =>
      groupOf(key, 5000, {
        goals: [
          sumsOf('revenue', {
            converted: count,
            conversions: { sum: count, sumSquares: count },
            amount: { sum: 20 * count, sumSquares: 500 * count },
            convertedAmount: 20 * count,
          }),
        ],
      });
    const harmsOf = (count: number) =>
      findHarm(inputOf([buyers('control', 500), buyers('b', count)], { goals }), 1);
    expect(harmsOf(0).harms).toMatchObject([{ variation: 'b', goals: [{ id: 'revenue', unit: 'rate' }] }]);
    expect(harmsOf(1).harms).toMatchObject([{ variation: 'b', goals: [{ id: 'revenue', unit: 'dollars' }] }]);
    expect(harmsOf(490).harms).toEqual([]);
  });

  it('is not found in secondary goals', () => {
    const goals = [goalOf('other'), { ...RENEWAL, role: 'secondary' as const }];
    expect(harmsIn([CONTROL, group('b', 10_000, { ...GOOD, renewal: 100 })], { goals })).toEqual([]);
  });

  it.each(['frequentist', 'group-sequential', 'bayesian'] as const)(
    'is decided by the always-valid test if the method is %s',
    (engine) => {
      const groups = [CONTROL, group('b', 10_000, { ...GOOD, signup: 900 })];
      const statistics = { ...DEFAULT_STATISTICS, engine };
      // A fixed horizon finds it: z = -2.4.
      expect(harmsIn(groups, { statistics, plannedVisitors: 20_000 })).toEqual([]);
    },
  );

  it('is corrected for all goals and variations, whatever the correction of the property', () => {
    const slight = { ...GOOD, renewal: 415 };
    const alone = [goalOf('renewal')];
    expect(harmsIn(three(GOOD, slight).slice(0, 3), { goals: alone, variations: VARIATIONS })).toEqual([]);
    const two = { goals: alone, variations: VARIATIONS.filter(({ key }) => key !== 'b') };
    expect(harmsIn([CONTROL, group('video', 10_000, { renewal: 405 })], two)).toHaveLength(1);
    const statistics = { ...DEFAULT_STATISTICS, correction: 'none' as const };
    const all = { variations: VARIATIONS, statistics };
    expect(harmsIn(three(GOOD, { ...GOOD, renewal: 405 }), all)).toEqual([]);
    expect(harmsIn(three(GOOD, { ...GOOD, renewal: 300 }), all)).toMatchObject([{ variation: 'video' }]);
  });

  it('of a retired variation is over, but still corrected for', () => {
    const retired = VARIATIONS.map((each) => (each.key === 'video' ? { ...each, retired: true } : each));
    const goals = [goalOf('renewal')];
    const found = harmsIn(three({ renewal: 300 }, { renewal: 300 }), { goals, variations: retired });
    expect(found.map(({ variation }) => variation)).toEqual(['b']);
    expect(harmsIn(three({ renewal: 405 }, { renewal: 500 }), { goals, variations: retired })).toEqual([]);
  });

  it('takes more evidence in every further phase, so that all together keep the error rate', () => {
    const groups = [CONTROL, group('b', 10_000, { renewal: 405 })];
    const goals = [goalOf('renewal')];
    expect([1, 2].map((phase) => harmsIn(groups, { goals }, phase).length)).toEqual([1, 0]);
    const certain = [CONTROL, group('b', 10_000, { renewal: 200 })];
    expect(harmsIn(certain, { goals }, 20)).toHaveLength(1);
  });

  it('is not looked for in a handful of conversions', () => {
    const few = (control: number, b: number) => [
      group('control', 50_000, { complaint: control }),
      group('b', 50_000, { complaint: b }),
    ];
    const goals = [COMPLAINT];
    expect(harmsIn(few(0, 20), { goals })).toEqual([]);
    expect(harmsIn(few(0, 26), { goals })).toHaveLength(1);
  });
});

describe('a test that is not healthy', () => {
  const harmed = group('b', 10_000, { ...GOOD, signup: 0, renewal: 100 });

  it('is not stopped if its visitors cannot be compared', () => {
    const uneven = findHarm(
      inputOf([group('control', 12_000, GOOD), harmed], { goals: [SIGNUP, RENEWAL] }),
      1,
    );
    expect(uneven).toMatchObject({ harms: [], blockedBy: [{ problem: 'sample-ratio-mismatch' }] });
    const mixed = [CONTROL, harmed, groupOf(null, 1000)];
    expect(findHarm(inputOf(mixed), 1)).toMatchObject({
      harms: [],
      blockedBy: [{ problem: 'mixed-visitors' }],
    });
  });

  it('is not stopped if one variation has no exposures, but days without visitors are the same for all', () => {
    const exposures = [0, 1, 2, 3, 4, 7, 8, 9].map((day) => ({
      at: dayAt(day),
      variationKey: 'control',
      bot: false,
      exposures: 1000,
    }));
    expect(harmsIn([CONTROL, harmed], { exposures })).toHaveLength(1);
    const silent = findHarm(inputOf([CONTROL, harmed], { exposures, variations: VARIATIONS }), 1);
    expect(silent.blockedBy.map(({ problem }) => problem)).toContain('missing-exposures');
  });

  it('is stopped if a variation has no conversions at all', () => {
    expect(harmsIn([CONTROL, harmed])[0]!.goals.map(({ id }) => id)).toEqual(['signup', 'renewal']);
  });
});
