import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import { noGoalSums } from '@switchyard/core/stats/report/report-counts';
import type { ReportGroup } from '@switchyard/core/stats/report/report-input';
import { expect, it } from 'vitest';
import type { ReportInputs } from '../report-inputs.ts';
import { rolloutLook } from './rollout-look.ts';
import type { RolloutScope } from './rollout-scope.ts';

const GOAL = {
  id: 'signup',
  name: 'Sign-ups',
  kind: 'count',
  lowerIsBetter: false,
  role: 'guardrail',
  maxHarm: 0.02,
} as const;
const PERCENTAGES = [20, 30, 40];

const group = (variationKey: string, visitors: number, rate: number, more: Partial<ReportGroup> = {}) => ({
  variationKey,
  bot: false,
  early: false,
  visitors,
  goals: [{ ...noGoalSums('signup'), converted: visitors * rate }],
  ...more,
});

const scope = {
  phases: PERCENTAGES.map((percentage, at) => ({
    phase: { number: at + 1, startedAt: at, endedAt: null },
    query: { hasEarlierPhases: at > 0 },
    percentage,
  })),
  skippedPhases: 0,
  plannedPhases: PERCENTAGES.length,
  next: null,
  minVisitors: null,
  maxWaitDays: 14,
  lostGuardrails: 0,
  now: 10,
} as unknown as RolloutScope;

/** In each phase 5,000 visitors, who do slightly worse inside. */
function inputsOf(known: (percentage: number) => readonly ReportGroup[]): ReportInputs {
  const prepare = async ({
    percentage,
    query,
  }: {
    percentage: number;
    query: { hasEarlierPhases: boolean };
  }) => ({
    input: {
      variations: [
        { key: 'off', weight: 100 - percentage },
        { key: 'on', weight: percentage },
      ],
      goals: [GOAL],
      statistics: DEFAULT_STATISTICS,
      smallestEffect: null,
      plannedVisitors: null,
      includeBots: false,
      groups: query.hasEarlierPhases ? known(percentage) : everybody(percentage),
      exposures: [],
      startedAt: 0,
      endedAt: null,
      asOf: 10,
    },
  });
  return { prepare } as unknown as ReportInputs;
}

const everybody = (percentage: number) => [
  group('off', 50 * (100 - percentage), 0.2),
  group('on', 50 * percentage, 0.17),
];

/** Those of the first percentage are the only ones who were inside before. */
const returned = (percentage: number) => [
  group('off', 50 * (100 - percentage), 0.2, { returning: true }),
  group('on', 50 * 20, 0.17, { returning: true }),
  group('on', 50 * (percentage - 20), 0.17, { returning: true, moved: true }),
];

it('adds up the phases of a rollout only with other people in each', async () => {
  const others = await rolloutLook(inputsOf(everybody), scope, 0);
  expect(others.decision.action).toBe('roll-back');
  const same = await rolloutLook(inputsOf(returned), scope, 0);
  expect(same.decision.action).toBe('wait');
});

it('counts everybody who is inside by now', async () => {
  const { phases } = await rolloutLook(inputsOf(returned), scope, 0);
  expect(phases.map((each) => [each.visitorsInside, each.visitorsOutside])).toEqual([
    [1000, 4000],
    [1500, 3500],
    [2000, 3000],
  ]);
});
