import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { dayAt, START } from '../../testing/report-cases.ts';
import { exposuresByDay, isPausedOn } from './report-days.ts';
import type { ReportInput } from './report-input.ts';
import { endsAtPlan, engineOf, guardrailMethod, methodOf, priorOf } from './report-method.ts';

describe('the method', () => {
  type Engine = ReportInput['statistics']['engine'];
  const given = (engine: Engine, plannedVisitors: number | null, more: object = {}) => ({
    statistics: { ...DEFAULT_STATISTICS, engine, alpha: 0.02, sequentialN: 700, ...more },
    plannedVisitors,
  });

  it.each<[Engine, number | null, string, boolean]>([
    ['auto', null, 'sequential', false],
    ['auto', 100, 'group-sequential', true],
    ['group-sequential', null, 'sequential', false],
    ['group-sequential', 100, 'group-sequential', true],
    ['frequentist', null, 'frequentist', false],
    ['frequentist', 100, 'frequentist', true],
    ['sequential', 100, 'sequential', false],
    ['bayesian', 100, 'bayesian', false],
  ])('of %s with a plan of %s is %s', (engine, planned, method, ends) => {
    expect(engineOf(given(engine, planned))).toBe(method);
    expect(endsAtPlan(given(engine, planned))).toBe(ends);
  });

  it('has the settings, the share of the plan and the prior', () => {
    expect(methodOf(given('auto', 400, { spending: 'pocock' }), 100)).toEqual({
      method: 'group-sequential',
      alpha: 0.02,
      sequentialN: 700,
      looks: { fraction: 0.25, spending: 'pocock' },
      prior: { proper: true, mean: 0, sd: 0.1 },
    });
    expect(methodOf(given('auto', 400), 0).looks).toBeUndefined();
    expect(methodOf(given('auto', null), 100).looks).toBeUndefined();
  });

  it('has the prior of the settings, else a learned one, else a weak one', () => {
    const learnedPrior = { mean: 0.01, sd: 0.03, tests: 9 };
    const prior = { mean: -0.02, sd: 0.2 };
    expect(priorOf({ ...given('bayesian', null, { prior }), learnedPrior })).toEqual(prior);
    expect(priorOf({ ...given('bayesian', null), learnedPrior })).toEqual(learnedPrior);
    expect(priorOf(given('bayesian', null))).toEqual({ mean: 0, sd: 0.1 });
  });

  it('of guardrails is always-valid', () => {
    expect(guardrailMethod(given('bayesian', 100))).toEqual({
      method: 'sequential',
      alpha: 0.02,
      sequentialN: 700,
    });
  });
});

describe('days', () => {
  const at = (day: number, exposures: number, variationKey = 'b') => ({
    at: dayAt(day),
    variationKey,
    bot: false,
    exposures,
  });

  it('have the exposures of all variations', () => {
    expect([...exposuresByDay([at(1, 3), at(0, 5), at(1, 4, 'a')])]).toEqual([
      [dayAt(1), 7],
      [START, 5],
    ]);
  });

  it('are paused if the test was paused at any time of them', () => {
    const pauses = [{ from: dayAt(1.5), to: dayAt(3) }];
    const paused = (given: Parameters<typeof isPausedOn>[1]) =>
      [0, 1, 2, 3, 4].filter((day) => isPausedOn(dayAt(day), given));
    expect(paused(pauses)).toEqual([1, 2]);
    expect(paused([{ from: dayAt(2), to: dayAt(3) + 1 }])).toEqual([2, 3]);
    expect(paused([{ from: dayAt(3), to: null }])).toEqual([3, 4]);
    expect(paused([...pauses, { from: dayAt(4), to: null }])).toEqual([1, 2, 4]);
    expect(paused(undefined)).toEqual([]);
  });
});
