import type { PlanQuery, PlanResponse } from '@switchyard/core/api/test-plan';
import { meanArm, proportionArm } from '@switchyard/core/stats/arm';
import { type Baseline, planTest } from '@switchyard/core/stats/planner';
import { methodOf } from '@switchyard/core/stats/report/report-metrics';
import { describePlan } from '@switchyard/core/stats/words/plan-words';
import { DAY_MS } from '@switchyard/core/time';
import type { GoalBaseline } from '../../storage/event-store.ts';
import type { Goal, PropertyConfiguration } from '../../storage/property-configuration.ts';

export const planPeriod = (days: number, now: number) => ({ from: now - days * DAY_MS, to: now });

/** Estimates how long a test would take, based on recent traffic. */
export function planResponse(
  { statistics }: Pick<PropertyConfiguration, 'statistics'>,
  goal: Goal,
  query: PlanQuery,
  recent: GoalBaseline,
): PlanResponse {
  const { smallestEffect = 0.05, power = 0.8, variations = 2, trafficAllocation = 100, days = 28 } = query;
  const arm =
    goal.kind === 'count'
      ? proportionArm({ n: recent.visitors, sum: recent.converted })
      : meanArm({ n: recent.visitors, ...recent.amount });
  const dailyVisitors = ((recent.visitors / days) * trafficAllocation) / 100;
  // A plan gives the test its planned number of visitors.
  const method = methodOf({ statistics, plannedVisitors: recent.visitors });
  const plan =
    arm.mean === null || arm.variance === null
      ? null
      : planTest({
          ...method,
          spending: statistics.spending,
          baseline: baselineOf(goal, arm.mean, arm.variance),
          smallestEffect: { kind: 'relative', value: smallestEffect },
          power,
          variations,
          dailyVisitors,
        });
  return {
    goalId: goal.id,
    metric: goal.kind === 'count' ? 'conversion-rate' : 'revenue-per-visitor',
    engine: method.method,
    alpha: statistics.alpha,
    power,
    smallestEffect,
    baseline: {
      days,
      visitors: recent.visitors,
      converted: recent.converted,
      mean: arm.mean,
      variance: arm.variance,
    },
    dailyVisitors,
    visitorsPerVariation: plan?.visitorsPerVariation ?? null,
    visitors: plan?.visitors ?? null,
    days: plan?.days ?? null,
    words: describePlan({
      ...{ goal: goal.name, historyDays: days, visitors: recent.visitors, converted: recent.converted },
      ...{ smallestEffect, variations, power, plan },
      canStopEarly: method.method !== 'frequentist',
    }),
  };
}

const baselineOf = (goal: Goal, mean: number, variance: number): Baseline =>
  goal.kind === 'count' ? { metric: 'proportion', rate: mean } : { metric: 'mean', mean, variance };
