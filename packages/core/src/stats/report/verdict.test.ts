import { beforeEach, describe, expect, it } from 'vitest';
import { analyse, type Method, type MethodSettings } from '../analysis.ts';
import { type Comparison, NO_COMPARISON } from '../comparison.ts';
import type { Looks } from '../group-sequential/compare.ts';
import type { GoalOutcome } from './goal-outcome.ts';
import type { GuardrailOutcome } from './guardrails.ts';
import { decideVerdict, overallVerdict, type VerdictInput } from './verdict.ts';

const goal = (comparison: Comparison, more: Partial<GoalOutcome> = {}): GoalOutcome => ({
  name: 'Sign-ups',
  unit: 'rate',
  control: 0.1,
  variation: 0.1 + (comparison.absolute?.estimate ?? 0),
  comparison,
  ...more,
});

const guardrail = (comparison: Comparison, more: Partial<GuardrailOutcome> = {}): GuardrailOutcome => ({
  ...goal(comparison),
  maxHarm: 0.02,
  ...more,
});

/** Compares conversions of 10,000 visitors each. */
function compare(control: number, variation: number, settings: Partial<MethodSettings> = {}): Comparison {
  const variations = [control, variation].map((sum, i) => ({
    key: `v${i}`,
    n: 10_000,
    sum,
    sumSquares: sum,
  }));
  const method: Method = 'sequential';
  return analyse({ method, ...settings, metric: 'proportion', control: 'v0', variations }).variations[1]!;
}

const input = (comparison: Comparison, more: Partial<VerdictInput> = {}): VerdictInput => ({
  method: 'sequential',
  variation: 'b',
  problems: [],
  primary: goal(comparison),
  smallestEffect: { kind: 'relative', value: 0.05 },
  visitors: 20_000,
  traffic: { dailyVisitors: 1000, uncertainty: 0.1 },
  ...more,
});

let [better, worse, same, open] = [NO_COMPARISON, NO_COMPARISON, NO_COMPARISON, NO_COMPARISON];

beforeEach(() => {
  better = compare(1000, 1250);
  worse = compare(1000, 800);
  same = compare(5000, 5001);
  open = compare(1000, 1060);
});

describe('one variation', () => {
  it('ships an improvement', () => {
    expect(decideVerdict(input(better))).toMatchObject({
      decision: 'ship',
      reason: 'primary',
      variation: 'b',
      daysLeft: null,
      forecast: null,
      unit: 'relative',
    });
  });

  it('rolls back a regression', () => {
    expect(decideVerdict(input(worse))).toMatchObject({ decision: 'roll-back', guardrails: [] });
  });

  it('reverses the verdict if lower is better', () => {
    const lower = (comparison: Comparison) =>
      input(comparison, { primary: goal(comparison, { lowerIsBetter: true }) });
    expect(decideVerdict(lower(better)).decision).toBe('roll-back');
    const verdict = decideVerdict(lower(worse));
    expect(verdict).toMatchObject({ decision: 'ship', improvement: { estimate: expect.closeTo(0.2, 9) } });
    expect(verdict.improvement!.low).toBeLessThan(verdict.improvement!.high!);
  });

  it('finds no difference within the smallest effect, even if it is significant', () => {
    const within = { decision: 'no-difference', reason: 'within-smallest-effect' };
    const equal = goal(same, { control: 0.5, variation: 0.5001 });
    expect(decideVerdict(input(same, { primary: equal }))).toMatchObject(within);
    const wide = { smallestEffect: { kind: 'relative' as const, value: 0.5 } };
    expect(decideVerdict(input(better, wide))).toMatchObject(within);
  });

  it('keeps going, and estimates for how long', () => {
    const { decision, reason, forecast, daysLeft } = decideVerdict(input(open));
    expect({ decision, reason }).toEqual({ decision: 'keep-going', reason: 'not-significant' });
    expect(forecast).toMatchObject({ inSight: true, horizonDays: 56 });
    expect(forecast!.low).toBeGreaterThanOrEqual(1);
    expect(daysLeft).toBe(forecast!.median);
    const none = { traffic: { dailyVisitors: 0, uncertainty: 0.1 } };
    expect(decideVerdict(input(open, none))).toMatchObject({ daysLeft: null, forecast: null });
    const slow = { traffic: { dailyVisitors: 1, uncertainty: 0.1 } };
    expect(decideVerdict(input(open, slow))).toMatchObject({
      daysLeft: null,
      forecast: { inSight: false, low: 57, high: null, detectable: expect.closeTo(0.19, 1) },
    });
  });

  it('does not forecast the end of a test that has ended', () => {
    expect(decideVerdict(input(open, { isOver: true }))).toMatchObject({
      decision: 'keep-going',
      forecast: null,
      sentences: { decision: 'The test ended without a clear result for "b".' },
    });
  });

  it('has no winner while the test is unhealthy or collects data', () => {
    const problem = { problem: 'mixed-visitors', mixed: 300, share: 0.03 } as const;
    const collecting = { conversions: 13, required: 50, days: 4 };
    expect(decideVerdict(input(better, { problems: [problem], collecting })).decision).toBe('unhealthy');
    expect(decideVerdict(input(better, { collecting }))).toMatchObject({
      decision: 'collecting',
      collecting,
      daysLeft: 4,
    });
    const harmed = { collecting, guardrails: [guardrail(worse)] };
    expect(decideVerdict(input(open, harmed))).toMatchObject({ decision: 'roll-back', reason: 'guardrail' });
  });

  it('rolls back a variation that harms a guardrail, even if the primary goal improves', () => {
    const guardrails = [guardrail(open), guardrail(worse, { name: 'Renewals' })];
    expect(decideVerdict(input(better, { guardrails }))).toMatchObject({
      decision: 'roll-back',
      reason: 'guardrail',
      guardrails: [{ state: 'open' }, { name: 'Renewals', state: 'harmed' }],
    });
    const fine = guardrail(worse, { name: 'Complaints', lowerIsBetter: true });
    expect(decideVerdict(input(better, { guardrails: [fine] })).decision).toBe('ship');
  });

  it('is judged by the absolute difference if the control is negative', () => {
    const comparison = {
      ...NO_COMPARISON,
      absolute: { estimate: 0.6, low: 0.5, high: 0.7 },
      relative: { estimate: -0.6, low: -0.7, high: -0.5 },
      pValue: 1e-9,
    };
    const primary = goal(comparison, { unit: 'dollars', control: -1, variation: -0.4 });
    expect(decideVerdict(input(comparison, { primary, smallestEffect: null }))).toMatchObject({
      decision: 'ship',
      unit: 'absolute',
      improvement: { estimate: 0.6 },
      sentences: {
        primary: expect.stringContaining('-$1.00 → -$0.40 per visitor, +$0.60, between +$0.50 and'),
      },
    });
    expect(decideVerdict(input(comparison, { primary })).improvement).toMatchObject({
      estimate: 0.6,
      low: 0.5,
    });
  });

  it('takes longer to decide if p-values are corrected for more comparisons', () => {
    const median = (comparisons: number) => decideVerdict(input(open, { comparisons })).forecast!.median!;
    expect(median(20)).toBeGreaterThan(median(1));
  });

  it('uses adjusted p-values', () => {
    const decision = (adjustedPValue: number) =>
      decideVerdict(input(better, { primary: goal(better, { adjustedPValue }) })).decision;
    expect([decision(0.06), decision(0.04)]).toEqual(['keep-going', 'ship']);
  });

  it('uses the credible interval with the Bayesian method', () => {
    const bayesian = (a: number, b: number) =>
      decideVerdict(input(compare(a, b, { method: 'bayesian' }), { method: 'bayesian' })).decision;
    expect([bayesian(1000, 1100), bayesian(1000, 900), bayesian(1000, 1030)]).toEqual([
      'ship',
      'roll-back',
      'keep-going',
    ]);
  });

  it('keeps going if nothing can be compared', () => {
    const verdict = decideVerdict(
      input(NO_COMPARISON, { primary: goal(NO_COMPARISON, { variation: null }) }),
    );
    expect(verdict).toMatchObject({ decision: 'keep-going', improvement: null, forecast: null });
    // All converted against none: a p-value without a relative interval.
    const certain = { ...NO_COMPARISON, absolute: { estimate: 1, low: 0.9, high: 1 }, pValue: 1e-9 };
    expect(decideVerdict(input(certain, { smallestEffect: null }))).toMatchObject({
      decision: 'ship',
      unit: 'absolute',
    });
  });
});

it('the frequentist method waits for the planned visitors, except for harm', () => {
  const frequentist = { method: 'frequentist' as const };
  const fixed = (comparison: Comparison, more: Partial<VerdictInput> = {}) =>
    decideVerdict(input(comparison, { ...frequentist, plannedVisitors: 24_500, ...more }));
  const good = compare(1000, 1250, frequentist);
  const waiting = fixed(good);
  expect(waiting).toMatchObject({ decision: 'keep-going', reason: 'before-planned-end', daysLeft: 5 });
  expect(waiting.forecast!.low).toBeLessThanOrEqual(5);
  expect(waiting.forecast!.high).toBeGreaterThanOrEqual(5);
  expect(fixed(good, { guardrails: [guardrail(worse)] }).decision).toBe('roll-back');
  expect(fixed(good, { visitors: 24_500 }).decision).toBe('ship');
  // The end of the test is its only evaluation.
  expect(fixed(good, { isOver: true }).decision).toBe('ship');
  expect(fixed(compare(1000, 1030, frequentist), { visitors: 25_000 })).toMatchObject({
    decision: 'no-difference',
    reason: 'planned-end',
  });
});

describe('a group-sequential test', () => {
  const planned = (fraction: number, sum: number, more: Partial<VerdictInput> = {}) => {
    const fractions = [0.25, fraction].filter((each, i) => i === 1 || each < fraction);
    const looks: Looks = { fractions, current: fractions.length - 1, spending: 'obrien-fleming' };
    const settings = { method: 'group-sequential' as const, looks };
    const comparison = compare(1000, sum, settings);
    const plannedVisitors = Math.round(20_000 / fraction);
    return decideVerdict(input(comparison, { ...settings, plannedVisitors, smallestEffect: null, ...more }));
  };

  it('decides before the planned end if the difference is clear', () => {
    expect(planned(0.5, 1150).decision).toBe('ship');
    expect(planned(0.2, 1150).decision).toBe('keep-going');
    expect(planned(0.5, 850).decision).toBe('roll-back');
  });

  it('forecasts an end no later than planned', () => {
    const { decision, forecast } = planned(0.5, 1060);
    expect(decision).toBe('keep-going');
    // 20,000 more visitors at 1,000 a day, if the traffic stays the same.
    expect(forecast!.high).toBeGreaterThanOrEqual(15);
    expect(forecast!.high).toBeLessThanOrEqual(30);
  });

  it('gives numbers for a plan that takes centuries', () => {
    const slow = { plannedVisitors: 1e12, traffic: { dailyVisitors: 10, uncertainty: 0.1 } };
    const { forecast, words } = planned(0.01, 1060, slow);
    expect(forecast!.low).toBeGreaterThan(3000);
    expect([forecast!.high, forecast!.median]).toEqual([null, null]);
    expect(words).not.toMatch(/NaN|∞|Infinity/);
  });

  it('says when going on is hopeless', () => {
    const hopeless = { decision: 'no-difference', reason: 'futility' };
    expect(planned(0.8, 1010)).toMatchObject(hopeless);
    expect(planned(0.3, 1010).decision).toBe('keep-going');
    expect(planned(0.8, 1010, { isOver: true }).decision).toBe('keep-going');
    // A large effect is quickly out of reach, a small one was never expected to be found.
    const effect = (value: number) => ({ smallestEffect: { kind: 'relative' as const, value } });
    expect(planned(0.6, 1020, effect(0.1)).decision).toBe('keep-going');
    expect(planned(0.6, 1020, effect(0.02))).toMatchObject(hopeless);
  });

  it('ends without a difference at the planned end', () => {
    expect(planned(1, 1030)).toMatchObject({ decision: 'no-difference', reason: 'planned-end' });
  });
});

it('a test ships its best variation, otherwise waits for open ones', () => {
  const verdict = (comparison: Comparison, variation: string) =>
    decideVerdict(input(comparison, { variation }));
  const [best, good] = [verdict(compare(1000, 1300), 'best'), verdict(better, 'good')];
  const equal = input(same, { variation: 'flat', primary: goal(same, { control: 0.5 }) });
  const [bad, unclear, flat] = [verdict(worse, 'bad'), verdict(open, 'unclear'), decideVerdict(equal)];
  expect(overallVerdict([bad, good, best, unclear])?.variation).toBe('best');
  expect(overallVerdict([bad, unclear, flat])?.variation).toBe('unclear');
  expect(overallVerdict([bad, flat])?.variation).toBe('flat');
  expect(overallVerdict([])).toBeNull();
});
