import { expect, it } from 'vitest';
import { interval, outcomeOf } from '../../testing/verdict-facts.ts';
import { forecastOf } from './forecast.ts';
import { decideVerdict, type VerdictInput } from './verdict.ts';

const TRAFFIC = { dailyVisitors: 500, uncertainty: 0.1 };
const unclear = { absolute: interval(0.01, -0.01, 0.03), pValue: 0.3, standardError: 0.008 };

const verdict = (more: Partial<VerdictInput> = {}) =>
  decideVerdict({
    method: 'sequential',
    variation: 'b',
    problems: [],
    primary: outcomeOf({}, unclear),
    visitors: 10_000,
    traffic: TRAFFIC,
    ...more,
  });

const expected = (more: object) =>
  forecastOf({
    method: 'sequential',
    difference: 0.01,
    standardError: 0.008,
    controlMean: 0.25,
    visitors: 10_000,
    traffic: TRAFFIC,
    plannedVisitors: null,
    smallestDifference: null,
    ...more,
  });

const LOOKS = { fraction: 0.25, spending: 'obrien-fleming' } as const;

it.each<[string, Partial<VerdictInput>, object]>([
  ['of an estimate', {}, {}],
  ['corrected for comparisons', { comparisons: 5 }, { alpha: 0.01 }],
  ['with an alpha', { alpha: 0.2, comparisons: 2 }, { alpha: 0.1 }],
  [
    'with a relative smallest effect',
    { smallestEffect: { kind: 'relative', value: -0.1 } },
    { smallestDifference: 0.025 },
  ],
  [
    'with an absolute one',
    { smallestEffect: { kind: 'absolute', value: -0.03 } },
    { smallestDifference: 0.03 },
  ],
  [
    'with a fixed plan',
    { method: 'frequentist', plannedVisitors: 30_000 },
    { method: 'frequentist', plannedVisitors: 30_000 },
  ],
  [
    'with looks',
    { method: 'group-sequential', plannedVisitors: 40_000, looks: LOOKS },
    { method: 'group-sequential', plannedVisitors: 40_000, looks: LOOKS },
  ],
  ['without a plan that the method needs', { plannedVisitors: 40_000 }, {}],
  ['Bayesian, without a plan', { method: 'bayesian', plannedVisitors: 40_000 }, { method: 'bayesian' }],
])('the forecast is that %s', (_, given, forecast) => {
  const { decision, forecast: actual, daysLeft } = verdict(given);
  expect(decision).toBe('keep-going');
  expect(actual).toEqual(expected(forecast));
  expect(actual).not.toBeNull();
  expect(daysLeft).toBe(actual!.median);
});

it('there is no forecast of a decision, of an open guardrail, or without figures', () => {
  expect(verdict({ primary: outcomeOf({}, { standardError: 0.008 }) }).forecast).toBeNull();
  const open = { ...outcomeOf({}, { ...unclear, relative: interval(0, -0.2, 0.2) }), maxHarm: 0.05 };
  const safe = { ...outcomeOf(), maxHarm: 0.05 };
  const better = outcomeOf({}, { standardError: 0.008 });
  const waiting = verdict({
    primary: better,
    guardrails: [safe, open],
    traffic: { dailyVisitors: 5000, uncertainty: 0 },
  });
  expect(waiting).toMatchObject({ reason: 'open-guardrail', forecast: null, daysLeft: expect.any(Number) });
  expect(verdict({ primary: outcomeOf({}, { ...unclear, standardError: null }) }).forecast).toBeNull();
  expect(verdict({ primary: outcomeOf({}, { ...unclear, absolute: null }) }).forecast).toBeNull();
  expect(verdict({ isOver: true }).forecast).toBeNull();
  expect(verdict({ traffic: undefined }).forecast).toBeNull();
  expect(verdict({ primary: outcomeOf({ control: null }, unclear) }).forecast!.detectable).toBeNull();
});
