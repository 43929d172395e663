import { describe, expect, it } from 'vitest';
import { factsOf, guardrailOf, interval, outcomeOf } from '../../testing/verdict-facts.ts';
import { NO_COMPARISON } from '../comparison.ts';
import { directionOf, type GoalOutcome, improvementOf, isRelative } from './goal-outcome.ts';
import { type GuardrailState, judgeGuardrail, worstState } from './guardrails.ts';
import { decideVerdict, overallVerdict, type Verdict, type VerdictInput } from './verdict.ts';

// Decisions on figures that are given, not computed.

const verdict = (more: Partial<VerdictInput> = {}) =>
  decideVerdict({
    method: 'sequential',
    variation: 'b',
    problems: [],
    primary: outcomeOf(),
    visitors: 10_000,
    ...more,
  });

const decisionOf = (more: Partial<VerdictInput>) => {
  const { decision, reason } = verdict(more);
  return [decision, reason];
};

/** An effect of an absolute estimate, without a p-value. */
const unclear = (estimate = 0.01): GoalOutcome =>
  outcomeOf(
    {},
    {
      absolute: interval(estimate, -0.05, 0.07),
      relative: interval(4 * estimate, -0.2, 0.28),
      pValue: 0.6,
      standardError: 0.01,
    },
  );

/** A relative effect that is not known well. */
const WIDE = { relative: interval(0.01, -0.2, 0.28), pValue: 0.6 };

const smallest = (value: number, kind: 'relative' | 'absolute' = 'relative') => ({
  smallestEffect: { kind, value },
});

describe('a verdict has the facts that it rests on', () => {
  it('with defaults', () => {
    const { words, sentences, ...facts } = verdict();
    expect(facts).toEqual(factsOf({ improvement: interval(0.2, 0.05, 0.37), visitors: 10_000 }));
    expect(words).toBe(
      'Ship "b": it is better than the control. Sign-ups: 25 % → 50 %, +20 %, between +5 % and +37 % (10,000 visitors). Next: stop the test and choose "b" as the winner.',
    );
    expect(sentences.guardrails).toBe('');
  });

  it('with what is given', () => {
    const given = { ...smallest(0.03, 'absolute'), plannedVisitors: 9000, currency: 'EUR' };
    const facts = verdict({ ...given, primary: outcomeOf({ unit: 'dollars' }) });
    expect(facts).toMatchObject({
      unit: 'absolute',
      improvement: interval(0.02, 0.005, 0.037),
      smallestEffect: { kind: 'absolute', value: 0.03 },
      plannedVisitors: 9000,
    });
    expect(facts.sentences.primary).toContain('€0.25 → €0.50 per visitor');
  });

  it('with its context', () => {
    const worse = outcomeOf({ lowerIsBetter: true });
    expect(verdict({ primary: worse, variations: 3 }).sentences.next).toBe('Next: take "b" out of the test.');
    expect(verdict({ primary: worse, variations: 3, isOver: true }).sentences.next).toBe(
      'Next: do not choose "b".',
    );
    const none = { collecting: { conversions: 0, required: 50, days: null }, visitors: 0 };
    expect(verdict(none).sentences.next).toMatch(/^Next: check that the pages/);
    expect(verdict({ ...none, hasStarted: false }).sentences.next).toMatch(/^Next: start the test/);
  });
});

describe('the order of the rules', () => {
  const mixed = { problem: 'mixed-visitors', mixed: 300, share: 0.03 } as const;
  const collecting = { conversions: 13, required: 50, days: 4 };
  const harmed = { ...outcomeOf({ lowerIsBetter: true }), maxHarm: 0.02 };
  const open = { ...unclear(), maxHarm: 0.02 };

  it('is problems, harm, too little data, the plan, no difference, the primary goal', () => {
    const all = { problems: [mixed], guardrails: [harmed], collecting };
    expect(decisionOf(all)).toEqual(['unhealthy', null]);
    expect(verdict(all).collecting).toBeNull();
    expect(decisionOf({ ...all, problems: [] })).toEqual(['roll-back', 'guardrail']);
    expect(decisionOf({ collecting })).toEqual(['collecting', null]);
    expect(verdict({ collecting })).toMatchObject({ collecting, daysLeft: 4 });
    const fixed = { method: 'frequentist', plannedVisitors: 10_001 } as const;
    expect(decisionOf({ ...fixed, ...smallest(0.5) })).toEqual(['keep-going', 'before-planned-end']);
    expect(decisionOf({ ...fixed, ...smallest(0.5), visitors: 10_001 })).toEqual([
      'no-difference',
      'within-smallest-effect',
    ]);
    expect(decisionOf({ ...fixed, isOver: true })).toEqual(['ship', 'primary']);
    expect(decisionOf({ method: 'frequentist' })).toEqual(['ship', 'primary']);
    expect(decisionOf({ plannedVisitors: 10_001 })).toEqual(['ship', 'primary']);
  });

  it('an open guardrail holds up only a variation that is better', () => {
    expect(decisionOf({ guardrails: [open] })).toEqual(['keep-going', 'open-guardrail']);
    expect(decisionOf({ guardrails: [open], shipWithOpenGuardrails: true })).toEqual(['ship', 'primary']);
    expect(decisionOf({ guardrails: [open], primary: outcomeOf({ lowerIsBetter: true }) })).toEqual([
      'roll-back',
      'primary',
    ]);
    expect(decisionOf({ guardrails: [{ ...outcomeOf(), maxHarm: 0.02 }] })).toEqual(['ship', 'primary']);
  });

  it('the smallest effect is excluded by both bounds', () => {
    const within = ['no-difference', 'within-smallest-effect'];
    expect(decisionOf(smallest(0.371))).toEqual(within);
    expect(decisionOf(smallest(-0.371))).toEqual(within);
    expect(decisionOf(smallest(0.37))).toEqual(['ship', 'primary']);
    expect(decisionOf(smallest(0.0371, 'absolute'))).toEqual(within);
    expect(decisionOf(smallest(0.037, 'absolute'))).toEqual(['ship', 'primary']);
  });

  it('the planned end decides only for methods with a plan', () => {
    const at = { primary: unclear(), plannedVisitors: 10_000 };
    for (const method of ['frequentist', 'group-sequential'] as const) {
      expect(decisionOf({ ...at, method })).toEqual(['no-difference', 'planned-end']);
    }
    expect(decisionOf({ ...at, method: 'bayesian' })).toEqual(['keep-going', 'not-significant']);
    expect(decisionOf({ ...at, method: 'group-sequential', plannedVisitors: 10_001 })).toEqual([
      'keep-going',
      'not-significant',
    ]);
  });
});

describe('going on is hopeless', () => {
  const at = (estimate: number, more: Partial<VerdictInput> = {}) =>
    decisionOf({
      method: 'group-sequential',
      looks: { fraction: 0.64, spending: 'obrien-fleming' },
      primary: unclear(estimate),
      ...more,
    })[1];

  // By conditional power: (1.95996 - drift · 0.36 - 1.28155 · 0.6) / 0.8, with a drift of 2.80159 by default.
  it('below the futility boundary of 0.228 standard errors', () => {
    expect(at(0.002_27)).toBe('futility');
    expect(at(0.002_29)).toBe('not-significant');
    expect(at(-0.002_27)).toBe('futility');
    expect(at(-0.002_29)).toBe('not-significant');
  });

  it('or, for a smallest effect, below that of its drift', () => {
    // A relative change of 4 % of 0.25 is one standard error now, so the drift is 1 / 0.8 at the end: 0.926.
    expect(at(0.009_25, smallest(0.04))).toBe('futility');
    expect(at(0.009_27, smallest(0.04))).toBe('not-significant');
    expect(at(0.009_25, smallest(-0.01, 'absolute'))).toBe('futility');
    expect(at(0.009_27, smallest(-0.01, 'absolute'))).toBe('not-significant');
    // No effect is like none given.
    expect(at(0.002_27, smallest(0))).toBe('futility');
    expect(at(0.002_29, smallest(0))).toBe('not-significant');
  });

  it('for another alpha', () => {
    // (2.57583 - 3.41745 · 0.36 - 1.28155 · 0.6) / 0.8 = 0.7208.
    expect(at(0.007_2, { alpha: 0.01 })).toBe('futility');
    expect(at(0.007_22, { alpha: 0.01 })).toBe('not-significant');
  });

  it('only for the group-sequential method, while the test is running, with a known error', () => {
    expect(at(0, { method: 'sequential' })).toBe('not-significant');
    expect(at(0, { isOver: true })).toBe('not-significant');
    expect(at(0, { looks: undefined })).toBe('not-significant');
    expect(at(0, { primary: outcomeOf({}, { absolute: null, pValue: 1, standardError: 1 }) })).toBe(
      'not-significant',
    );
    expect(at(0, { primary: outcomeOf({}, { absolute: interval(0, -1, 1), pValue: 1 }) })).toBe(
      'not-significant',
    );
  });
});

describe('the direction of a goal', () => {
  const direction = (more: Partial<GoalOutcome>, comparison = {}) =>
    directionOf(outcomeOf(more, comparison), { method: 'sequential' });

  it('needs a corrected p-value below alpha', () => {
    expect(direction({})).toBe('better');
    expect(direction({ lowerIsBetter: true })).toBe('worse');
    expect(direction({ adjustedPValue: 0.05 })).toBeNull();
    expect(direction({ adjustedPValue: 0.0499 })).toBe('better');
    expect(
      directionOf(outcomeOf({ adjustedPValue: 0.02 }), { method: 'sequential', alpha: 0.01 }),
    ).toBeNull();
    expect(direction({}, { absolute: interval(-0.02, -0.04, -0.01) })).toBe('worse');
    expect(direction({}, { absolute: interval(0, -1, 1) })).toBeNull();
    expect(direction({}, { absolute: null })).toBeNull();
  });

  it('needs an interval without zero if there is no p-value', () => {
    const bayesian = (low: number | null, high: number | null, more: Partial<GoalOutcome> = {}) =>
      direction(more, { absolute: interval(0.02, low, high), pValue: null });
    expect(bayesian(0.01, 0.03)).toBe('better');
    expect(bayesian(0, 0.03)).toBeNull();
    expect(bayesian(null, 0.03)).toBeNull();
    expect(bayesian(null, null)).toBeNull();
    expect(bayesian(0.01, 0.03, { lowerIsBetter: true })).toBe('worse');
    expect(bayesian(0.01, null, { lowerIsBetter: true })).toBe('worse');
  });
});

describe('the improvement of a goal', () => {
  it('is the change, so that higher is better', () => {
    expect(improvementOf(outcomeOf(), 'absolute')).toEqual(interval(0.02, 0.005, 0.037));
    expect(improvementOf(outcomeOf({ lowerIsBetter: true }), 'relative')).toEqual(
      interval(-0.2, -0.37, -0.05),
    );
    expect(improvementOf(outcomeOf({ lowerIsBetter: true }, { relative: null }), 'relative')).toBeNull();
  });

  it('keeps open ends', () => {
    const open = (low: number | null, high: number | null) =>
      improvementOf(outcomeOf({ lowerIsBetter: true }, { relative: interval(0.2, low, high) }), 'relative');
    expect(open(0.1, null)).toEqual(interval(-0.2, null, -0.1));
    expect(open(null, 0.3)).toEqual(interval(-0.2, -0.3, null));
  });

  it('is reversed relative to a negative control', () => {
    const negative = { control: -1 };
    expect(improvementOf(outcomeOf(negative), 'relative')).toEqual(interval(-0.2, -0.37, -0.05));
    expect(improvementOf(outcomeOf(negative), 'absolute')!.estimate).toBe(0.02);
    expect(improvementOf(outcomeOf({ ...negative, lowerIsBetter: true }), 'relative')!.estimate).toBe(0.2);
    expect(improvementOf(outcomeOf({ control: null }), 'relative')!.estimate).toBe(0.2);
    expect(improvementOf(outcomeOf({ control: 0 }), 'relative')!.estimate).toBe(0.2);
  });

  it('is relative only to a positive control', () => {
    const all = [
      outcomeOf(),
      outcomeOf({ control: 0 }),
      outcomeOf({ control: null }),
      outcomeOf({ control: -1 }),
    ];
    expect(all.map(isRelative)).toEqual([true, false, false, false]);
    expect(isRelative(outcomeOf({}, { relative: null }))).toBe(false);
  });
});

describe('a guardrail', () => {
  const judge = (more: Partial<GoalOutcome>, comparison = {}, situation = {}) =>
    judgeGuardrail(
      { ...outcomeOf(more, comparison), maxHarm: 0.05 },
      { method: 'sequential', visitors: 10_000, ...situation },
    );
  const wide = { ...WIDE, standardError: 0.008 };

  it('is safe if its relative bound is above the margin, then harmed or open by its direction', () => {
    expect(judge({}).state).toBe('safe');
    expect(judge({}, { relative: interval(-0.03, -0.0499, -0.01) }).state).toBe('safe');
    expect(judge({}, { relative: interval(-0.03, -0.05, -0.01), pValue: 0.2 }).state).toBe('open');
    expect(judge({ lowerIsBetter: true }).state).toBe('harmed');
    expect(judge({ lowerIsBetter: true }, { pValue: 0.2 }).state).toBe('open');
    expect(judge({}, { relative: interval(0.2, null, null) }).state).toBe('open');
    // Without a positive control, a relative margin cannot be excluded.
    expect(judge({ control: 0 }).state).toBe('open');
    expect(judge({ control: 0, lowerIsBetter: true }).state).toBe('harmed');
  });

  it('keeps what is known of it', () => {
    expect(judge({ name: 'Errors' })).toEqual({
      ...outcomeOf({ name: 'Errors' }),
      maxHarm: 0.05,
      state: 'safe',
      daysLeft: null,
    });
  });

  // Until the half-width of the sequence, relative to 0.25, is below 1 % + 5 %; the days come from Python.
  it('is likely safe on the first day on which its interval is narrow enough', () => {
    const days = (dailyVisitors: number, situation: object = {}, comparison = {}, control = 0.25) =>
      judge(
        { control },
        { ...wide, ...comparison },
        { traffic: { dailyVisitors, uncertainty: 0.1 }, ...situation },
      ).daysLeft;
    expect([days(1000), days(250), days(1000, { visitors: 20_000 })]).toEqual([19, 75, 41]);
    expect([days(1000, { alpha: 0.01 }), days(1000, { sequentialN: 500 })]).toEqual([30, 26]);
    // Half a year is in sight.
    expect([days(103), days(102)]).toEqual([181, null]);
    expect([days(0), days(1000, { traffic: undefined })]).toEqual([null, null]);
    expect([days(1000, {}, { standardError: null }), days(1000, {}, {}, 0)]).toEqual([null, null]);
    expect(days(1000, {}, { relative: interval(-0.05, -0.2, 0.1) })).toBeNull();
    expect(
      judge(
        {},
        { ...wide, relative: interval(0.01, 0, 0.2) },
        { traffic: { dailyVisitors: 9, uncertainty: 0 } },
      ),
    ).toMatchObject({ state: 'safe', daysLeft: null });
  });

  it.each<[GuardrailState[], GuardrailState]>([
    [['safe', 'harmed', 'open'], 'harmed'],
    [['safe', 'open'], 'open'],
    [['safe', 'safe'], 'safe'],
    [[], 'open'],
  ])('is in the worst state of all variations: %j', (states, worst) => {
    expect(worstState(states)).toBe(worst);
  });
});

describe('a better variation with open guardrails', () => {
  const better = (...days: (number | null)[]) => {
    const open = days.map((daysLeft) => guardrailOf('X', 'open', { daysLeft }));
    const outcomes = open.map((it) => ({
      ...it,
      ...outcomeOf({}, { ...WIDE, standardError: it.daysLeft === null ? null : it.daysLeft / 1000 }),
    }));
    return verdict({ guardrails: outcomes, traffic: { dailyVisitors: 1000, uncertainty: 0.1 } });
  };

  it('waits for the last one', () => {
    const [first, last] = [better(8).daysLeft!, better(9).daysLeft!];
    expect(first).toBe(19);
    expect(last).toBeGreaterThan(19);
    expect(better(9, 8)).toMatchObject({ reason: 'open-guardrail', daysLeft: last, forecast: null });
    expect(better(9, null).daysLeft).toBeNull();
  });

  it('counts the visitors of now for them, and those of the planned end for the goal', () => {
    const guardrails = [{ ...outcomeOf({}, { ...WIDE, standardError: 0.008 }), maxHarm: 0.05 }];
    const traffic = { dailyVisitors: 1000, uncertainty: 0.1 };
    const days = (visitorsNow?: number) => verdict({ guardrails, traffic, visitorsNow }).daysLeft;
    expect([days(), days(10_000), days(20_000)]).toEqual([19, 19, 41]);
    expect(verdict({ guardrails, traffic, visitorsNow: 20_000 }).visitors).toBe(10_000);
  });
});

describe('the verdict on a whole test', () => {
  const of = (decision: Verdict['decision'], variation: string, estimate: number | null = 0): Verdict => ({
    ...verdict(),
    decision,
    variation,
    improvement: estimate === null ? null : interval(estimate, null, null),
  });

  it('is the first in the order of decisions, whatever their improvement', () => {
    const order = ['unhealthy', 'collecting', 'ship', 'keep-going', 'no-difference', 'roll-back'] as const;
    for (const [index, decision] of order.entries()) {
      const rest = order.slice(index).map((it, at) => of(it, it, at));
      expect(overallVerdict(rest)?.decision).toBe(decision);
      expect(overallVerdict(rest.toReversed())?.decision).toBe(decision);
    }
  });

  it('is that of the largest improvement, among those with the same decision', () => {
    const all = [of('ship', 'a', 0.1), of('ship', 'b', 0.3), of('ship', 'c', null), of('ship', 'd', 0.2)];
    expect(overallVerdict(all)?.variation).toBe('b');
    expect(overallVerdict(all.slice(2))?.variation).toBe('d');
    expect(overallVerdict([])).toBeNull();
  });

  it('is not a calculation with unknown figures', () => {
    expect(verdict({ primary: outcomeOf({ comparison: NO_COMPARISON }) })).toMatchObject({
      decision: 'keep-going',
      unit: 'absolute',
      improvement: null,
      forecast: null,
    });
  });
});
