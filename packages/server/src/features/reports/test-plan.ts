import type { PlanQuery, PlanResponse } from '@switchyard/core/api/test-plan';
import { meanArm, proportionArm } from '@switchyard/core/stats/arm';
import { type Baseline, planTest } from '@switchyard/core/stats/planner';
import { methodOf } from '@switchyard/core/stats/report/report-metrics';
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
  const plan =
    arm.mean === null || arm.variance === null
      ? null
      : planTest({
          ...methodOf({ statistics }),
          baseline: baselineOf(goal, arm.mean, arm.variance),
          smallestEffect: { kind: 'relative', value: smallestEffect },
          power,
          variations,
          dailyVisitors,
        });
  return {
    goalId: goal.id,
    metric: goal.kind === 'count' ? 'conversion-rate' : 'revenue-per-visitor',
    engine: statistics.engine,
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
    words: wordsFor(goal, query, recent, plan),
  };
}

const baselineOf = (goal: Goal, mean: number, variance: number): Baseline =>
  goal.kind === 'count' ? { metric: 'proportion', rate: mean } : { metric: 'mean', mean, variance };

function wordsFor(
  goal: Goal,
  { smallestEffect = 0.05, variations = 2, days: periodDays = 28 }: PlanQuery,
  { visitors, converted }: GoalBaseline,
  plan: ReturnType<typeof planTest>,
): string {
  const count = (number: number) => Math.round(number).toLocaleString('en-US');
  const period = `In the last ${periodDays} days, ${count(visitors)} visitors came and ${count(converted)} of them reached "${goal.name}".`;
  if (plan === null) return `${period} That is not enough data for a plan.`;
  const effect = `${Number((100 * smallestEffect).toPrecision(3))} %`;
  const required = `To detect a change of ${effect} with ${variations} variations, the test needs ${count(plan.visitors)} visitors`;
  if (plan.days === null) return `${period} ${required}.`;
  const days = plan.days === 1 ? '1 day' : `${count(plan.days)} days`;
  return `${period} ${required}, about ${days} at this traffic.`;
}
