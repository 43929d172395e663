import { describe, expect, it } from 'vitest';
import {
  contextOf,
  factsOf,
  forecastOf,
  guardrailOf,
  interval,
  outcomeOf,
} from '../../testing/verdict-facts.ts';
import { NO_COMPARISON } from '../comparison.ts';
import type { VerdictContext, VerdictFacts } from '../report/verdict-facts.ts';
import { describeVerdict } from './verdict-words.ts';

const words = (facts: Partial<VerdictFacts>, context: Partial<VerdictContext> = {}) =>
  describeVerdict(factsOf(facts), contextOf(context));

const decisionOf = (facts: Partial<VerdictFacts>, context: Partial<VerdictContext> = {}) =>
  words(facts, context).decision;
const nextOf = (facts: Partial<VerdictFacts>, context: Partial<VerdictContext> = {}) =>
  words(facts, context).next;

const OVER = { isOver: true };
const THREE = { variations: 3 };
const SMALLEST = { smallestEffect: { kind: 'relative', value: 0.05 } } as const;
const ABSOLUTE = { smallestEffect: { kind: 'absolute', value: -0.02 } } as const;

describe('the decision', () => {
  it('to ship or to roll back', () => {
    expect(decisionOf({})).toBe('Ship "b": it is better than the control.');
    expect(decisionOf({ decision: 'roll-back' })).toBe('Roll back "b": it is worse than the control.');
  });

  it.each([
    [0.97, '97.0 %'],
    [0.03, '97.0 %'],
    [0.9985, '99.9 %'],
    [0.999, '99.9 %'],
    [0.9991, 'more than 99.9 %'],
    [0.0001, 'more than 99.9 %'],
  ])('has the probability of a Bayesian comparison: %f', (chanceToBeat, size) => {
    const primary = outcomeOf({}, { chanceToBeat });
    expect(decisionOf({ primary })).toBe(
      `Ship "b": it is better than the control, with a probability of ${size}.`,
    );
    expect(decisionOf({ primary, decision: 'roll-back' })).toBe(
      `Roll back "b": it is worse than the control, with a probability of ${size}.`,
    );
  });

  it('to roll back because of guardrails', () => {
    const harmed = (...states: ('harmed' | 'safe')[]) =>
      decisionOf({
        decision: 'roll-back',
        reason: 'guardrail',
        guardrails: states.map((state) => guardrailOf('Renewals', state)),
      });
    expect(harmed('harmed', 'safe')).toBe('Roll back "b": it harms a guardrail.');
    expect(harmed('harmed', 'safe', 'harmed')).toBe('Roll back "b": it harms guardrails.');
  });

  it('that nothing differs', () => {
    const none = { decision: 'no-difference' } as const;
    const within = { ...none, reason: 'within-smallest-effect' } as const;
    expect(decisionOf({ ...within, ...SMALLEST })).toBe(
      'No difference that matters between "b" and the control: a change of 5 % or more is ruled out.',
    );
    expect(decisionOf({ ...within, ...ABSOLUTE })).toBe(
      'No difference that matters between "b" and the control: a change of 2 points or more is ruled out.',
    );
    const end = { ...none, reason: 'planned-end' } as const;
    expect(decisionOf(end)).toBe(
      'No difference found between "b" and the control: the planned number of visitors is reached.',
    );
    expect(decisionOf({ ...end, ...SMALLEST })).toBe(
      'No difference found between "b" and the control: the planned number of visitors is reached, and a change of 5 % or more would probably have been found.',
    );
    const hopeless = { ...none, reason: 'futility' } as const;
    expect(decisionOf(hopeless)).toBe(
      'A clear result for "b" is out of reach: even if it had the effect that the test was planned for, the chance to find it by the planned end is below 10 %.',
    );
    expect(decisionOf({ ...hopeless, ...SMALLEST })).toBe(
      'A clear result for "b" is out of reach: even if it changed Sign-ups by 5 %, the chance to find it by the planned end is below 10 %.',
    );
  });

  it('to keep going', () => {
    const going = { decision: 'keep-going', reason: 'not-significant' } as const;
    const chance = 'Keep "b" going: the difference could still be chance.';
    expect(decisionOf({ ...going, primary: outcomeOf({}, { pValue: 0.3 }) })).toBe(chance);
    expect(decisionOf({ ...going, primary: outcomeOf({}, { pValue: null }) })).toBe(chance);
    expect(decisionOf(going, OVER)).toBe('The test ended without a clear result for "b".');
    expect(decisionOf({ ...going, reason: 'before-planned-end', plannedVisitors: 31_000 })).toBe(
      'Keep "b" going: the result is evaluated once, at 31,000 visitors.',
    );
  });

  it('to keep going only because of the correction', () => {
    const going = (adjustedPValue: number | null, more: object = {}) =>
      decisionOf({
        decision: 'keep-going',
        reason: 'not-significant',
        primary: outcomeOf({ adjustedPValue }, more),
      });
    const chance = 'Keep "b" going: the difference could still be chance.';
    const corrected =
      'Keep "b" going: the difference could still be chance, because the test compares several variations.';
    expect(going(0.08)).toBe(corrected);
    expect(going(0.01)).toBe(chance);
    expect(going(null)).toBe(chance);
    expect(going(0.08, { pValue: null })).toBe(chance);
    // The interval includes zero without the correction, too.
    expect(going(0.08, { absolute: interval(0.02, -0.01, 0.05) })).toBe(chance);
  });

  it('to keep going because of open guardrails', () => {
    const going = { decision: 'keep-going', reason: 'open-guardrail' } as const;
    const one = { ...going, guardrails: [guardrailOf('Refunds', 'open'), guardrailOf('Errors', 'safe')] };
    const two = { ...going, guardrails: [guardrailOf('Refunds', 'open'), guardrailOf('Errors', 'open')] };
    expect(decisionOf(one)).toBe(
      'Keep "b" going: it is better than the control, but there is not enough data on the guardrail "Refunds" yet.',
    );
    expect(decisionOf(two, OVER)).toBe(
      'The test ended without a decision on "b": it is better than the control, but there is not enough data on the guardrails "Refunds" and "Errors".',
    );
  });

  it('to collect data', () => {
    const collecting = (conversions: number, required = 50) =>
      ({ decision: 'collecting', collecting: { conversions, required, days: null } }) as const;
    expect(decisionOf(collecting(1234, 2500))).toBe(
      'Collecting data: 1,234 of the 2,500 conversions of "Sign-ups" that a first evaluation needs.',
    );
    expect(decisionOf(collecting(0, 1), OVER)).toBe(
      'The test ended with too little data: 0 of the 1 conversion of "Sign-ups" that a first evaluation needs.',
    );
    expect(decisionOf({ ...collecting(0), visitors: 0 })).toBe('Collecting data: no visitors yet.');
    expect(decisionOf({ ...collecting(0), visitors: 0 }, OVER)).toBe(
      'The test ended with too little data: no visitors.',
    );
  });

  it('that there is none, because of problems', () => {
    const mixed = { problem: 'mixed-visitors', mixed: 1, share: 0.02 } as const;
    const silent = { problem: 'missing-exposures', variations: ['b'], days: 0 } as const;
    expect(decisionOf({ decision: 'unhealthy', problems: [silent, mixed] })).toBe(
      'No decision on "b": the data is not reliable. No exposure of "b" arrived. Check that every page of the test still loads the SDK, and that its requests succeed. 1 visitor (2 %) saw more than one variation and is not counted. Check that visitors keep their id between pages, and that all pages and servers use the same id.',
    );
  });
});

describe('the primary goal', () => {
  const primaryOf = (primary: VerdictFacts['primary'], more: Partial<VerdictFacts> = {}) =>
    words({ primary, ...more }).primary;

  it('has its values, the change and the range', () => {
    expect(primaryOf(outcomeOf())).toBe(
      'Sign-ups: 25 % → 50 %, +20 %, between +5 % and +37 % (12,400 visitors).',
    );
    expect(primaryOf(outcomeOf(), { visitors: 1 })).toMatch(/ \(1 visitor\)\.$/);
  });

  it('has an absolute change if the control is not positive, or there is no relative change', () => {
    const expected =
      'Sign-ups: 0 % → 50 %, +2 points, between +0.5 points and +3.7 points (12,400 visitors).';
    expect(primaryOf(outcomeOf({ control: 0 }))).toBe(expected);
    expect(primaryOf(outcomeOf({ control: 0 }, { relative: null }))).toBe(expected);
    expect(primaryOf(outcomeOf({}, { relative: null }))).toBe(expected.replace(' 0 %', ' 25 %'));
  });

  it('has only its values without any comparison', () => {
    expect(primaryOf(outcomeOf({ comparison: NO_COMPARISON }))).toBe(
      'Sign-ups: 25 % → 50 % (12,400 visitors).',
    );
    const values = 'Sign-ups: nothing to compare yet.';
    expect(primaryOf(outcomeOf({ control: null }))).toBe(values);
    expect(primaryOf(outcomeOf({ variation: null }))).toBe(values);
  });

  const uncertain = 'because the value of the control is too uncertain';
  it.each([
    [0.05, null, `, at least +5 %, with no upper limit ${uncertain}`],
    [-0.2, null, `, at least -20 %, with no upper limit ${uncertain}`],
    [null, 0.37, `, at most +37 %, with no lower limit ${uncertain}`],
    [null, null, `, with no limits ${uncertain}`],
    // A change of -100 % is no limit.
    [-1, null, `, with no limits ${uncertain}`],
  ])('has limits as far as they are known: %s and %s', (low, high, range) => {
    expect(primaryOf(outcomeOf({}, { relative: interval(0.2, low, high) }))).toBe(
      `Sign-ups: 25 % → 50 %, +20 %${range} (12,400 visitors).`,
    );
  });

  it('has no range before there is one', () => {
    const absolute = interval(0.02, null, null);
    const expected = 'Sign-ups: 25 % → 50 %, +20 %, range not known yet (12,400 visitors).';
    const relative = interval(0.2, null, null);
    expect(primaryOf(outcomeOf({}, { relative, absolute }))).toBe(expected);
    expect(primaryOf(outcomeOf({}, { relative, absolute: null }))).toBe(expected);
  });

  it('is in the currency, per visitor', () => {
    const primary = outcomeOf({ unit: 'dollars', control: 0, variation: 1.5 }, { relative: null });
    expect(words({ primary }, { currency: 'EUR' }).primary).toBe(
      'Sign-ups: €0.00 → €1.50 per visitor, +€0.02, between +€0.01 and +€0.04 (12,400 visitors).',
    );
  });

  it('warns against it if the decision does not rest on it', () => {
    const collecting = { conversions: 1, required: 50, days: null };
    expect(primaryOf(outcomeOf(), { decision: 'collecting', collecting })).toBe(
      'Sign-ups: 25 % → 50 %, +20 % (12,400 visitors); too early for a range.',
    );
    const absolute = outcomeOf({}, { relative: null });
    expect(primaryOf(absolute, { decision: 'unhealthy' })).toBe(
      'Sign-ups: 25 % → 50 %, +2 points (12,400 visitors); do not rely on it.',
    );
    expect(primaryOf(outcomeOf({ comparison: NO_COMPARISON }), { decision: 'unhealthy' })).toBe(
      'Sign-ups: 25 % → 50 % (12,400 visitors); do not rely on it.',
    );
  });
});

describe('guardrails', () => {
  const guardrailsOf = (
    guardrails: VerdictFacts['guardrails'],
    context: Partial<VerdictContext> = {},
    decision: VerdictFacts['decision'] = 'ship',
  ) => words({ guardrails, decision }, context).guardrails;

  it('are not mentioned without any, or with unreliable data', () => {
    expect(guardrailsOf([])).toBe('');
    expect(guardrailsOf([guardrailOf('Renewals', 'safe')], {}, 'unhealthy')).toBe('');
  });

  it('are grouped by their state and margin, the worst first', () => {
    const all = [
      guardrailOf('A', 'safe'),
      guardrailOf('B', 'open', { daysLeft: 1 }),
      guardrailOf('C', 'harmed'),
      guardrailOf('D', 'safe', { maxHarm: 0.1 }),
      guardrailOf('E', 'safe'),
      guardrailOf('F', 'open', { maxHarm: 0.1 }),
      guardrailOf('G', 'open', { daysLeft: 12 }),
      guardrailOf('H', 'harmed', { comparison: NO_COMPARISON }),
    ];
    expect(guardrailsOf(all)).toBe(
      'Guardrails: C got worse, 25 % → 50 %, +20 %, between +5 % and +37 %; H got worse, 25 % → 50 %; not enough data yet to exclude harm beyond 5 % in B (about 1 more day) and G (about 12 more days); not enough data yet to exclude harm beyond 10 % in F; no harm beyond 5 % in A and E; no harm beyond 10 % in D.',
    );
    expect(guardrailsOf(all.slice(1, 2), OVER)).toBe(
      'Guardrails: not enough data to exclude harm beyond 5 % in B.',
    );
  });

  it('are in the currency', () => {
    const harmed = guardrailOf('Revenue', 'harmed', { unit: 'dollars', control: 0, variation: 1 });
    expect(guardrailsOf([harmed], { currency: 'GBP' })).toBe(
      'Guardrails: Revenue got worse, £0.00 → £1.00 per visitor, +£0.02, between +£0.01 and +£0.04.',
    );
    const unknown = guardrailOf('Revenue', 'harmed', { variation: null, comparison: NO_COMPARISON });
    expect(guardrailsOf([unknown])).toBe('Guardrails: Revenue got worse, unknown.');
  });
});

describe('what to do next', () => {
  it('after a winner or a loser', () => {
    expect(nextOf({})).toBe('Next: stop the test and choose "b" as the winner.');
    expect(nextOf({}, OVER)).toBe('Next: choose "b" as the winner.');
    const worse = { decision: 'roll-back' } as const;
    expect(nextOf(worse)).toBe('Next: stop the test and choose the control as the winner.');
    expect(nextOf(worse, OVER)).toBe('Next: choose the control as the winner.');
    expect(nextOf(worse, THREE)).toBe('Next: take "b" out of the test.');
    expect(nextOf(worse, { ...THREE, ...OVER })).toBe('Next: do not choose "b".');
  });

  it('without a difference', () => {
    const same = { decision: 'no-difference', reason: 'planned-end' } as const;
    expect(nextOf(same)).toBe('Next: stop the test and keep the variation that costs less.');
    expect(nextOf({ ...same, reason: 'futility' })).toBe('Next: stop the test, or plan a larger one.');
    expect(nextOf({ ...same, reason: 'futility' }, THREE)).toBe(
      'Next: take "b" out of the test, unless it costs less.',
    );
    expect(nextOf(same, OVER)).toBe('Next: keep the variation that costs less.');
  });

  it('with problems', () => {
    const novelty = {
      problem: 'novelty',
      variation: 'b',
      pValue: 0,
      early: 0.4,
      late: 0,
      unit: 'relative',
    } as const;
    const mixed = { problem: 'mixed-visitors', mixed: 300, share: 0.02 } as const;
    const unhealthy = { decision: 'unhealthy' } as const;
    expect(nextOf({ ...unhealthy, problems: [novelty] })).toBe('Next: wait until the effect settles.');
    expect(nextOf({ ...unhealthy, problems: [novelty, mixed] })).toBe(
      'Next: fix the cause, then start the test again.',
    );
  });

  it('while data is collected', () => {
    const collecting = (conversions: number, days: number | null) =>
      ({ decision: 'collecting', collecting: { conversions, required: 50, days } }) as const;
    expect(nextOf(collecting(13, 4))).toBe('Next: wait, about 4 more days at this traffic.');
    expect(nextOf(collecting(13, 1))).toBe('Next: wait, about 1 more day at this traffic.');
    expect(nextOf(collecting(13, null))).toBe('Next: check that the test still gets visitors.');
    expect(nextOf(collecting(0, null))).toBe(
      'Next: wait, and check that conversions of "Sign-ups" are recorded.',
    );
    expect(nextOf(collecting(13, 4), OVER)).toBe('Next: run the test again with more visitors.');
    const nobody = { ...collecting(0, null), visitors: 0 };
    expect(nextOf(nobody)).toBe(
      'Next: check that the pages of the test load the SDK and ask it for a variation.',
    );
    expect(nextOf(nobody, { hasStarted: false })).toBe(
      'Next: start the test, and check that its pages load the SDK and ask it for a variation.',
    );
  });

  it('while the test goes on', () => {
    const going = (forecast: VerdictFacts['forecast']) =>
      ({ decision: 'keep-going', reason: 'not-significant', forecast }) as const;
    expect(nextOf(going(forecastOf()))).toBe('Next: wait, probably 3 to 9 more days.');
    expect(nextOf(going(forecastOf({ low: 15, high: null })))).toBe(
      'Next: wait, probably 2 weeks or longer.',
    );
    expect(nextOf(going(null))).toBe('Next: check that the test still gets visitors.');
    expect(nextOf(going(forecastOf()), OVER)).toBe(
      'Next: run the test again with more visitors, or keep the control.',
    );
    const far = 'Get more visitors, test a bolder change, or stop.';
    expect(nextOf(going(forecastOf({ inSight: false })))).toBe(
      `Next: a result is not in sight: at this traffic, only differences above 8 % can be found within 8 weeks. ${far}`,
    );
    expect(nextOf(going(forecastOf({ inSight: false, detectable: null })))).toBe(
      `Next: a result is not in sight: at this traffic, only large differences can be found within 8 weeks. ${far}`,
    );
  });

  it('while a guardrail is open', () => {
    const open = { decision: 'keep-going', reason: 'open-guardrail' } as const;
    expect(nextOf({ ...open, daysLeft: 3 })).toBe('Next: wait, about 3 more days at this traffic.');
    expect(nextOf(open)).toBe(
      'Next: the data will not suffice at this traffic: get more visitors, accept a larger harm, or accept the risk and ship.',
    );
    expect(nextOf(open, OVER)).toBe(
      'Next: run the test again with more visitors, or accept the risk and choose it as the winner.',
    );
  });
});
