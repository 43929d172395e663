import { describe, expect, it } from 'vitest';
import { analyse, type Method } from '../analysis.ts';
import type { Comparison } from '../comparison.ts';
import { decideVerdict, type GoalOutcome, overallVerdict, type VerdictInput } from './verdict.ts';

/** Compares conversions of 10,000 visitors each. */
function compare(control: number, variation: number, method: Method = 'sequential'): Comparison {
  const variations = [control, variation].map((sum, i) => ({
    key: `v${i}`,
    n: 10_000,
    sum,
    sumSquares: sum,
  }));
  return analyse({ method, metric: 'proportion', control: 'v0', variations }).variations[1]!;
}

const goal = (comparison: Comparison, more: Partial<GoalOutcome> = {}): GoalOutcome => ({
  name: 'Sign-ups',
  comparison,
  ...more,
});

const input = (comparison: Comparison, more: Partial<VerdictInput> = {}): VerdictInput => ({
  method: 'sequential',
  variation: 'b',
  problems: [],
  primary: goal(comparison),
  smallestEffect: { kind: 'relative', value: 0.05 },
  visitors: 20_000,
  dailyVisitors: 1000,
  ...more,
});

const [better, worse, same, open] = [
  compare(1000, 1250),
  compare(1000, 800),
  compare(5000, 5001),
  compare(1000, 1060),
];

describe('one variation', () => {
  it('ships an improvement', () => {
    const verdict = decideVerdict(input(better));
    expect(verdict).toMatchObject({ decision: 'ship', variation: 'b', daysLeft: null, unit: 'relative' });
    expect(verdict.words).toMatch(
      /^Ship "b"\. Sign-ups changed by \+25 % \(likely between \+9\.36 % and \+40\.6 %\), measured on 20,000 visitors: that is better/,
    );
  });

  it('rolls back a regression', () => {
    expect(decideVerdict(input(worse))).toMatchObject({ decision: 'roll-back', harmedGuardrails: [] });
    expect(decideVerdict(input(worse)).words).toMatch(/^Roll "b" back\. Sign-ups changed by -20 %/);
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
    const verdict = decideVerdict(input(same));
    expect(verdict.decision).toBe('no-difference');
    expect(verdict.words).toMatch(/a change of 5 % or more can be ruled out\.$/);
    expect(decideVerdict(input(same, { plannedVisitors: 10 })).words).toMatch(/can be ruled out\.$/);
    const wide = { smallestEffect: { kind: 'relative' as const, value: 0.5 } };
    expect(decideVerdict(input(better, wide)).decision).toBe('no-difference');
  });

  it('keeps going, and estimates for how long', () => {
    const verdict = decideVerdict(input(open));
    expect(verdict.decision).toBe('keep-going');
    expect(verdict.words).toMatch(/^Keep "b" going, about \d+ days more at the present traffic\./);
    // By then the same difference is significant.
    const lowAfter = (days: number) => {
      const n = 10_000 + days * 500;
      const variations = [0.1, 0.106].map((rate, i) => ({ key: `v${i}`, n, sum: rate * n, sumSquares: 0 }));
      return analyse({ method: 'sequential', metric: 'proportion', control: 'v0', variations }).variations[1]!
        .absolute!.low!;
    };
    expect(lowAfter(verdict.daysLeft! - 1)).toBeLessThan(0);
    expect(lowAfter(verdict.daysLeft!)).toBeGreaterThan(0);
    expect(decideVerdict(input(open, { dailyVisitors: 0 }))).toMatchObject({ daysLeft: null });
    const slow = decideVerdict(input(open, { dailyVisitors: 1 }));
    expect(slow.words).toMatch(/^Keep "b" going, but at the present traffic it takes more than a year\./);
  });

  it('does not ask to continue a test that has ended', () => {
    const { words } = decideVerdict(input(open, { dailyVisitors: 0, isOver: true }));
    expect(words).toMatch(/^The test ended before there was a verdict on "b"\. Sign-ups changed by/);
  });

  it('has no winner while the test is unhealthy', () => {
    const verdict = decideVerdict(
      input(better, { problems: [{ problem: 'mixed-visitors', mixed: 300, share: 0.03 }] }),
    );
    expect(verdict.decision).toBe('unhealthy');
    expect(verdict.words).toMatch(
      /^No verdict on "b" yet, the data is not sound\. 300 visitors \(3 %\) saw more/,
    );
    const few = { problem: 'too-few-conversions', variation: 'b', conversions: 3, least: 25 } as const;
    expect(decideVerdict(input(better, { problems: [few] })).words).toMatch(
      /^It is too early for a verdict on "b"\. "b" has 3 conversions; it takes 25/,
    );
  });

  it('rolls back a variation that harms a guardrail, even if the primary goal improves', () => {
    const guardrail = goal(worse, { name: 'Renewals' });
    const verdict = decideVerdict(input(better, { guardrails: [goal(open), guardrail] }));
    expect(verdict).toMatchObject({ decision: 'roll-back', harmedGuardrails: [guardrail] });
    expect(verdict.words).toMatch(/harms what must not get worse: Renewals changed by -20 %/);
    const fine = goal(worse, { name: 'Complaints', lowerIsBetter: true });
    expect(decideVerdict(input(better, { guardrails: [fine] })).decision).toBe('ship');
  });

  it('uses adjusted p-values', () => {
    expect(decideVerdict(input(better, { primary: goal(better, { adjustedPValue: 0.06 }) })).decision).toBe(
      'keep-going',
    );
    expect(decideVerdict(input(better, { primary: goal(better, { adjustedPValue: 0.04 }) })).decision).toBe(
      'ship',
    );
  });

  it('uses the credible interval with the Bayesian method', () => {
    const bayesian = (a: number, b: number) =>
      decideVerdict(input(compare(a, b, 'bayesian'), { method: 'bayesian' })).decision;
    expect([bayesian(1000, 1100), bayesian(1000, 900), bayesian(1000, 1030)]).toEqual([
      'ship',
      'roll-back',
      'keep-going',
    ]);
    const words = (a: number, b: number) =>
      decideVerdict(input(compare(a, b, 'bayesian'), { method: 'bayesian' })).words;
    expect(words(1000, 1100)).toMatch(/that is better, with a probability of 98\.9 %\.$/);
    expect(words(1000, 800)).toMatch(/that is worse, with a probability of more than 99\.9 %\.$/);
  });

  it('waits for the planned visitors with the frequentist method, except for harm', () => {
    const fixed = (comparison: Comparison, more: Partial<VerdictInput> = {}) =>
      decideVerdict(input(comparison, { method: 'frequentist', plannedVisitors: 24_500, ...more }));
    const good = compare(1000, 1250, 'frequentist');
    expect(fixed(good)).toMatchObject({ decision: 'keep-going', daysLeft: 5 });
    expect(fixed(good).words).toMatch(/; it is judged once, at 24,500 visitors\.$/);
    expect(fixed(good, { guardrails: [goal(worse)] }).decision).toBe('roll-back');
    expect(fixed(good, { visitors: 24_500 }).decision).toBe('ship');
    const nothing = fixed(compare(1000, 1030, 'frequentist'), { visitors: 25_000 });
    expect(nothing.decision).toBe('no-difference');
    expect(nothing.words).toMatch(/a change of 5 % or more would probably have shown by now\.$/);
  });

  it('keeps going if nothing can be compared', () => {
    const empty = { absolute: null, relative: null, pValue: null, chanceToBeat: null, expectedLoss: null };
    const verdict = decideVerdict(input(empty));
    expect(verdict).toMatchObject({ decision: 'keep-going', improvement: null, daysLeft: null });
    expect(verdict.words).toContain('Sign-ups cannot be compared yet');
    // All converted against none: a p-value without an interval.
    const certain = { ...empty, absolute: { estimate: 1, low: null, high: null }, pValue: 1e-9 };
    expect(decideVerdict(input(certain, { smallestEffect: null }))).toMatchObject({
      decision: 'ship',
      unit: 'absolute',
    });
  });
});

it('a test ships its best variation, otherwise waits for open ones', () => {
  const verdict = (comparison: Comparison, variation: string) =>
    decideVerdict(input(comparison, { variation }));
  const [best, good] = [verdict(compare(1000, 1300), 'best'), verdict(better, 'good')];
  const [bad, unclear, flat] = [verdict(worse, 'bad'), verdict(open, 'unclear'), verdict(same, 'flat')];
  expect(overallVerdict([bad, good, best, unclear])?.variation).toBe('best');
  expect(overallVerdict([bad, unclear, flat])?.variation).toBe('unclear');
  expect(overallVerdict([bad, flat])?.variation).toBe('flat');
  expect(overallVerdict([])).toBeNull();
});
