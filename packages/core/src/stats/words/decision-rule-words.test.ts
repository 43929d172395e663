import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecisionRule } from '../../api/decision/decision-rule.ts';
import { ERRORS, ruleOf, SIGN_UPS } from '../../testing/decision-rules.ts';
import { interval, outcomeOf } from '../../testing/verdict-facts.ts';
import { engineOf } from '../report/report-method.ts';
import { decideVerdict } from '../report/verdict.ts';
import { describeRule, describeRuleState } from './decision-rule-words.ts';

const PLAN = { smallestEffect: 0.02, plannedVisitors: 40_000 };

describe('a decision rule in words', () => {
  it('with a plan and a guardrail', () => {
    expect(describeRule(ruleOf({ ...PLAN, guardrails: [ERRORS] }))).toEqual([
      'We decide by "Sign-ups": the share of visitors who reach it.',
      'A change smaller than 2 % does not matter.',
      '"Checkout errors" must not get worse by more than 1 %; less is better.',
      'The test ends at 40,000 visitors, or before if the result is clear.',
      'Ship: "Sign-ups" is proven better than in the control, and a change of 2 % or more is possible, and every guardrail is safe.',
      'Roll back: a guardrail is harmed, or "Sign-ups" is proven worse than in the control, and a change of 2 % or more is possible.',
      'No difference: a change of 2 % or more is ruled out, or nothing is proven at 40,000 visitors, or a proof by then has become unlikely.',
      'In every other case, there is no decision yet.',
      '"Proven" means that a test without any difference claims one in at most 5 % of the cases, with all checks until the planned end.',
      'A guardrail is safe when harm beyond its margin is ruled out, and harmed when it is proven worse and not safe; both are valid however often they are checked.',
      'Before the smallest variation can have about 25 conversions, only a harmed guardrail decides. While a check of the data fails, nothing does.',
      'Conversions count until 7 days after the end.',
    ]);
  });

  it('without anything but a goal', () => {
    expect(describeRule(ruleOf())).toEqual([
      'We decide by "Sign-ups": the share of visitors who reach it.',
      'No change is too small to matter.',
      'The test has no planned end: it can be decided on every day.',
      'Ship: "Sign-ups" is proven better than in the control.',
      'Roll back: "Sign-ups" is proven worse than in the control.',
      'No difference: never concluded, because nothing says which change is too small to matter.',
      'In every other case, there is no decision yet.',
      '"Proven" means that a test without any difference claims one in at most 5 % of the cases, however often the results are checked.',
      'Before the smallest variation can have about 25 conversions, nothing is decided, nor while a check of the data fails.',
      'Conversions count until 7 days after the end.',
    ]);
    expect(describeRule(ruleOf({ primary: null }))).toEqual([
      'The test has no primary goal, so it has no verdict.',
    ]);
  });

  it('for a quantile, which needs visitors with values, and has a window of its own', () => {
    const primary = {
      id: 'metric:load-time',
      name: 'Load time',
      kind: 'metric',
      measure: 'quantile',
      quantile: 0.9,
      withinDays: 7,
      lowerIsBetter: true,
    } as const;
    const sentences = describeRule(ruleOf({ primary }));
    expect(sentences[0]).toBe(
      'We decide by "Load time": the 90 % quantile of its values, in 7 days from the first exposure on; less is better.',
    );
    expect(sentences.at(-1)).toBe(
      'Before the smallest variation can have about 125 visitors with values, nothing is decided, nor while a check of the data fails.',
    );
    // Something else counts until the end.
    const ends = 'Conversions count until 7 days after the end.';
    expect(describeRule(ruleOf({ primary: { ...primary, withinDays: null } }))).toContain(ends);
    expect(describeRule(ruleOf({ primary, secondary: [SIGN_UPS] }))).toContain(ends);
  });

  it('tells retention apart by its days and its goal', () => {
    const first = (more: object, withinDays = 8) => {
      const metric = { kind: 'metric', measure: 'retention-rate', withinDays } as const;
      return describeRule(ruleOf({ primary: { ...SIGN_UPS, name: 'Habit', ...metric, ...more } }))[0];
    };
    expect(first({ fromDay: 1 })).toBe(
      'We decide by "Habit": the share of visitors who come back on days 1 to 7 after the first exposure.',
    );
    expect(first({ fromDay: 3 })).toContain(' who come back on days 3 to 7 after the first exposure.');
    expect(first({ fromDay: 7 })).toContain(' who come back on day 7 after the first exposure.');
    expect(first({ fromDay: 1, goalName: 'Orders' })).toContain(' who reach "Orders" on days 1 to 7 after ');
    // Rules of earlier versions have only the end.
    expect(first({})).toContain(' who come back, in 8 days from the first exposure on.');
  });

  it.each<[DecisionRule, string]>([
    [
      ruleOf({ onHarm: 'stop' }),
      'A variation that is proven to make the primary goal worse is retired automatically, and the test stops when no other is left.',
    ],
    [
      ruleOf({ onHarm: 'stop', guardrails: [ERRORS] }),
      'A variation that is proven to make the primary goal or a guardrail worse is retired automatically, and the test stops when no other is left.',
    ],
    [
      ruleOf({
        primary: {
          ...SIGN_UPS,
          name: 'Checkout',
          kind: 'metric',
          measure: 'completion-rate',
          withinDays: null,
        },
      }),
      'We decide by "Checkout": the share of visitors who complete it.',
    ],
    [
      ruleOf(PLAN, { engine: 'frequentist' }),
      'The test ends at 40,000 visitors and is evaluated then, or when it is stopped.',
    ],
    [
      ruleOf(PLAN, { engine: 'frequentist' }),
      'No difference: a change of 2 % or more is ruled out, or nothing is proven at 40,000 visitors.',
    ],
    [
      ruleOf({}, { engine: 'frequentist' }),
      'The test has no planned end, and its method is valid for one look at the results only.',
    ],
    [
      ruleOf(PLAN, { engine: 'sequential' }),
      'The test can be decided on every day; 40,000 visitors are planned, which decides nothing.',
    ],
    [
      ruleOf({}, { engine: 'bayesian', alpha: 0.1 }),
      '"Proven" means a probability of more than 95 %, given the prior.',
    ],
    [
      ruleOf({ variations: ['a', 'b', 'c'] }, { alpha: 0.025 }),
      '"Proven" means that a test without any difference claims one in at most 2.5 % of the cases, however often the results are checked, over all variations together.',
    ],
    [
      ruleOf({ variations: ['a', 'b', 'c'] }, { correction: 'none', engine: 'frequentist' }),
      '"Proven" means that a test without any difference claims one in at most 5 % of the cases, with one look at the results, for each variation on its own.',
    ],
    [
      ruleOf({ guardrails: [ERRORS] }, { shipWithOpenGuardrails: true }),
      'Ship: "Sign-ups" is proven better than in the control, and no guardrail is harmed.',
    ],
    [
      ruleOf({
        secondary: [
          { ...SIGN_UPS, name: 'Visits' },
          { ...SIGN_UPS, name: 'Orders' },
        ],
      }),
      '"Visits" and "Orders" are watched, but do not decide.',
    ],
    [
      ruleOf({ primary: { ...SIGN_UPS, kind: 'revenue', name: 'Revenue', lowerIsBetter: true } }),
      'We decide by "Revenue": the revenue per visitor; less is better.',
    ],
    [
      ruleOf({ primary: { ...SIGN_UPS, kind: 'feedback', name: 'NPS: good', option: 'good' } }),
      'We decide by "NPS: good": the share of "good" among the visitors who answer.',
    ],
    [ruleOf({ unit: 'user', attributionDays: 1 }), 'Visitors of the same user count as one.'],
    [ruleOf({}, { cuped: true }), 'What visitors did in the 14 days before is taken into account.'],
    [ruleOf({}, { winsorize: 0.995 }), 'Amounts are capped at the 99.5 % quantile.'],
    [
      ruleOf({}, { stratify: ['country', 'device'] }),
      'Visitors are compared within the same country and device.',
    ],
  ])('%#: %j', (rule, sentence) => {
    expect(describeRule(rule)).toContain(sentence);
  });

  it('says whether it is fixed', () => {
    const change = { what: 'guardrails' as const };
    expect(describeRuleState('fixed', [])).toBe('Fixed at the start, and unchanged since.');
    expect(describeRuleState('fixed', [change, change, { what: 'smallestEffect' }])).toBe(
      'Fixed at the start. Changed after the start: guardrails and smallest effect.',
    );
    expect(describeRuleState('started-before', [])).toMatch(/^The test started before rules were fixed/);
    expect(describeRuleState('not-started', [])).toMatch(/^Not fixed yet/);
  });
});

/** What `decideVerdict` does with any figures, by the rule. */
const figures = fc.record({
  estimate: fc.double({ min: -0.3, max: 0.3, noNaN: true }),
  width: fc.double({ min: 0.001, max: 0.3, noNaN: true }),
  harm: fc.double({ min: -0.3, max: 0.3, noNaN: true }),
  harmWidth: fc.double({ min: 0.001, max: 0.2, noNaN: true }),
  visitors: fc.integer({ min: 100, max: 60_000 }),
});

const rules = fc.record({
  engine: fc.constantFrom('auto', 'sequential', 'group-sequential', 'frequentist', 'bayesian'),
  smallestEffect: fc.constantFrom(null, 0.02, 0.1),
  plannedVisitors: fc.constantFrom(null, 40_000),
  guardrails: fc.constantFrom<DecisionRule['guardrails']>([], [ERRORS]),
  shipWithOpenGuardrails: fc.boolean(),
});

const comparisonOf = (estimate: number, width: number, isBayesian: boolean) => {
  const bounds = interval(estimate, estimate - width, estimate + width);
  const pValue = isBayesian ? null : Math.abs(estimate) > width ? 0.01 : 0.4;
  return { absolute: bounds, relative: bounds, pValue, standardError: width / 2 };
};

const SEED = 20_261_119;

it(`the sentences are true of every verdict (seed ${SEED})`, () => {
  fc.assert(
    fc.property(rules, figures, ({ engine, shipWithOpenGuardrails, ...given }, figure) => {
      const rule = ruleOf(given, { engine, shipWithOpenGuardrails });
      const method = engineOf(rule);
      const { smallestEffect, plannedVisitors, guardrails } = rule;
      const { estimate, width, harm, harmWidth, visitors } = figure;
      const verdict = decideVerdict({
        method,
        looks:
          plannedVisitors === null ? undefined : { fraction: visitors / plannedVisitors, spending: 'pocock' },
        variation: 'b',
        problems: [],
        primary: outcomeOf({}, comparisonOf(estimate, width, method === 'bayesian')),
        guardrails: guardrails.map(({ maxHarm }) => ({
          ...outcomeOf({}, comparisonOf(harm, harmWidth, false)),
          maxHarm,
        })),
        shipWithOpenGuardrails,
        smallestEffect: smallestEffect === null ? null : { kind: 'relative', value: smallestEffect },
        visitors,
        plannedVisitors: plannedVisitors ?? undefined,
      });
      const sentences = describeRule(rule);
      const [ship, rollBack, none] = ['Ship', 'Roll back', 'No difference'].map(
        (start) => sentences.find((it) => it.startsWith(`${start}:`))!,
      );
      const isProven = Math.abs(estimate) > width;
      const isSmall = smallestEffect !== null && Math.abs(estimate) + width < smallestEffect;
      const [state] = verdict.guardrails.map((it) => it.state);
      switch (verdict.decision) {
        case 'ship':
          expect([isProven, estimate > 0, isSmall]).toEqual([true, true, false]);
          if (ship!.includes('every guardrail is safe')) expect(state).toBe('safe');
          if (guardrails.length > 0) expect(state).not.toBe('harmed');
          break;
        case 'roll-back':
          if (state === 'harmed') expect(rollBack).toContain('a guardrail is harmed');
          else expect([isProven, estimate < 0, isSmall]).toEqual([true, true, false]);
          break;
        case 'no-difference': {
          const reasons = {
            'within-smallest-effect': 'is ruled out',
            'planned-end': 'nothing is proven at 40,000 visitors',
            futility: 'a proof by then has become unlikely',
          };
          expect(none).toContain(reasons[verdict.reason as keyof typeof reasons]);
          break;
        }
        default: {
          // It goes on only while none of the three sentences applies.
          const waits = method === 'frequentist' && plannedVisitors !== null && visitors < plannedVisitors;
          const isBlocked = state === 'open' && !shipWithOpenGuardrails;
          if (!waits) expect(isSmall || (isProven && (estimate < 0 || !isBlocked))).toBe(false);
          expect(state).not.toBe('harmed');
        }
      }
    }),
    { numRuns: 2000, seed: SEED },
  );
});
