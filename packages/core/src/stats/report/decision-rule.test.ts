import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { ERRORS, ruleOf, SIGN_UPS } from '../../testing/decision-rules.ts';
import { decisionRuleOf, decisionRuleReport, ruleChanges } from './decision-rule.ts';
import type { ReportGoal } from './report-input.ts';

const TEST = {
  variations: [{ key: 'control' }, { key: 'b' }, { key: 'old', retired: true }],
  smallestEffect: 0.02,
  plannedVisitors: 4000,
  unit: 'visitor' as const,
  attributionDays: 7,
};

const goal = (id: string, role: ReportGoal['role'], more: Partial<ReportGoal> = {}): ReportGoal =>
  ({ id, name: id, kind: 'count', role, lowerIsBetter: false, ...more }) as ReportGoal;

describe('the rule of a test', () => {
  it('has everything that decides, with the margins that apply', () => {
    const goals = [
      goal('signup', 'primary', { name: 'Sign-ups' }),
      goal('visits', 'secondary'),
      goal('errors', 'guardrail', { maxHarm: 0.1 }),
      goal('refunds', 'guardrail'),
    ];
    expect(decisionRuleOf(TEST, goals, DEFAULT_STATISTICS)).toEqual({
      primary: SIGN_UPS,
      secondary: [{ id: 'visits', name: 'visits', kind: 'count', lowerIsBetter: false }],
      guardrails: [
        { id: 'errors', name: 'errors', kind: 'count', lowerIsBetter: false, maxHarm: 0.1 },
        { id: 'refunds', name: 'refunds', kind: 'count', lowerIsBetter: false, maxHarm: 0.02 },
      ],
      variations: ['control', 'b'],
      smallestEffect: 0.02,
      plannedVisitors: 4000,
      unit: 'visitor',
      attributionDays: 7,
      statistics: DEFAULT_STATISTICS,
    });
    const [refunds] = decisionRuleOf(
      { ...TEST, smallestEffect: null },
      goals.slice(3),
      DEFAULT_STATISTICS,
    ).guardrails;
    expect(refunds?.maxHarm).toBe(0.05);
  });
});

it('has the days of a retention metric, whose lack in an older rule is no change', () => {
  const definition = { kind: 'retention', format: 'percent', withinDays: 8, fromDay: 3, goalName: 'Orders' };
  const metric = goal('metric:habit', 'primary', { kind: 'metric', definition } as Partial<ReportGoal>);
  const rule = decisionRuleOf(TEST, [metric], DEFAULT_STATISTICS);
  expect(rule.primary).toMatchObject({ withinDays: 8, fromDay: 3, goalName: 'Orders' });
  const { fromDay: _day, goalName: _goal, ...older } = rule.primary!;
  expect(ruleChanges({ ...rule, primary: older }, rule)).toEqual([]);
  const renamed = { ...rule.primary!, goalName: 'Purchases' };
  expect(ruleChanges(rule, { ...rule, primary: renamed })).toEqual([]);
  const [change] = ruleChanges(rule, { ...rule, primary: { ...rule.primary!, lowerIsBetter: true } });
  expect(change!.words).toBe('Primary goal "metric:habit": more is better → less is better');
});

const words = (...rules: Parameters<typeof ruleChanges>) => ruleChanges(...rules).map((it) => it.words);

describe('changes of a rule', () => {
  it('are none if nothing that decides has changed', () => {
    expect(words(ruleOf(), ruleOf())).toEqual([]);
    const renamed = ruleOf({ primary: { ...SIGN_UPS, name: 'Members' } });
    expect(words(ruleOf(), renamed)).toEqual([]);
    // Without a plan, both are the same method.
    expect(words(ruleOf({}, { engine: 'auto' }), ruleOf({}, { engine: 'group-sequential' }))).toEqual([]);
    // What the method does not use.
    expect(
      words(ruleOf(), ruleOf({}, { spending: 'pocock', prior: { mean: 0, sd: 1 }, preDays: 3 })),
    ).toEqual([]);
    expect(words(ruleOf(), ruleOf({}, { shipWithOpenGuardrails: true, correction: 'none' }))).toEqual([]);
  });

  it('are named one by one', () => {
    const before = ruleOf({ guardrails: [ERRORS], secondary: [{ ...SIGN_UPS, id: 'gone', name: 'Gone' }] });
    const after = ruleOf(
      {
        primary: { ...SIGN_UPS, lowerIsBetter: true },
        secondary: [{ ...SIGN_UPS, id: 'visits', name: 'Visits' }],
        guardrails: [
          { ...ERRORS, maxHarm: 0.05 },
          { ...ERRORS, id: 'refunds', name: 'Refunds' },
        ],
        variations: ['control'],
        smallestEffect: 0.05,
        plannedVisitors: 4000,
        unit: 'user',
        attributionDays: 1,
        onHarm: 'stop',
      },
      { engine: 'bayesian', alpha: 0.1, correction: 'none', winsorize: 0.99, prior: { mean: 0, sd: 0.2 } },
    );
    expect(words(before, after)).toEqual([
      'Primary goal "Sign-ups": more is better → less is better',
      'Secondary goal "Gone": removed',
      'Secondary goal "Visits": added',
      'Guardrail "Checkout errors": margin 1 % → 5 %',
      'Guardrail "Refunds": added, with a margin of 1 %',
      'Compared variations: control and b → control',
      'Smallest effect: none → 5 %',
      'Planned visitors: none → 4,000',
      'What is counted: visitors → users',
      'Time in which conversions count: 7 days → 1 day',
      'What happens to harm: notify → stop',
      'Method: sequential → bayesian',
      'Accepted error rate: 5 % → 10 %',
      'Correction for several comparisons: holm → none',
      'Cap of amounts: none → 99 %',
      'Prior: learnt from finished tests → 0 %, give or take 20 %',
    ]);
  });

  it('have their settings where these matter', () => {
    const planned = { plannedVisitors: 4000 };
    expect(words(ruleOf(planned), ruleOf(planned, { spending: 'pocock' }))).toEqual([
      'Error spending: obrien-fleming → pocock',
    ]);
    const guarded = { guardrails: [ERRORS] };
    expect(
      words(
        ruleOf(guarded),
        ruleOf(guarded, { shipWithOpenGuardrails: true, sequentialN: 900, stratify: ['device'] }),
      ),
    ).toEqual([
      'Sample size at which intervals are tightest: 5,000 → 900',
      'Groups that are compared within: none → device',
      'Shipping with open guardrails: off → on',
    ]);
    expect(words(ruleOf({}, { cuped: true }), ruleOf({}, { cuped: true, preDays: 3 }))).toEqual([
      'Days of earlier behaviour: 14 days → 3 days',
    ]);
  });
});

describe('the report', () => {
  const rule = ruleOf({ smallestEffect: 0.02 });
  const current = ruleOf({ smallestEffect: 0.05 });

  it('has what was fixed, and what was changed by whom', () => {
    const report = decisionRuleReport({ fixed: { fixedAt: 7, rule }, hasStarted: true, current }, () => ({
      at: 9,
      by: 'Anna',
    }));
    expect(report).toMatchObject({
      state: 'fixed',
      fixedAt: 7,
      rule,
      changes: [
        {
          what: 'smallestEffect',
          before: 0.02,
          after: 0.05,
          words: 'Smallest effect: 2 % → 5 %',
          at: 9,
          by: 'Anna',
        },
      ],
      words: 'Fixed at the start. Changed after the start: smallest effect.',
    });
    expect(report.sentences).toContain('A change smaller than 2 % does not matter.');
  });

  it('has what applies now if nothing was fixed', () => {
    for (const hasStarted of [true, false]) {
      expect(decisionRuleReport({ fixed: undefined, hasStarted, current })).toMatchObject({
        state: hasStarted ? 'started-before' : 'not-started',
        fixedAt: null,
        rule: current,
        changes: [],
      });
    }
  });
});
