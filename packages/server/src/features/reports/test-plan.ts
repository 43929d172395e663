import type { PlanQuery, PlanResponse } from '@switchyard/core/api/test-plan';
import { meanArm, proportionArm } from '@switchyard/core/stats/arm';
import { type Baseline, planGuardrail, planTest } from '@switchyard/core/stats/planner';
import { methodOf } from '@switchyard/core/stats/report/report-method';
import { describePlan } from '@switchyard/core/stats/words/plan-words';
import { DAY_MS } from '@switchyard/core/time';
import type { Goal, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { GoalBaseline } from '../../events/store/event-store.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';

export const DEFAULT_EFFECT = 0.05;
const MAX_HARM = 10;

export const planPeriod = (days: number, now: number) => ({ from: now - days * DAY_MS, to: now });

/** A goal that must not get worse by more than this, relative to the control. */
export interface PlannedGuardrail {
  readonly goal: Goal;
  readonly maxHarm: number;
}

/** Reads the guardrails of a query, such as `refunds:0.02,revenue`. */
export function plannedGuardrails(
  goals: readonly Goal[],
  { guardrails, smallestEffect = DEFAULT_EFFECT }: PlanQuery,
): PlannedGuardrail[] {
  return (guardrails?.split(',') ?? []).map((text) => {
    const [id, harm] = text.split(':');
    const goal = goals.find((it) => it.id === id);
    if (goal === undefined) throw new ApiError('goal_not_found');
    const maxHarm = harm === undefined ? smallestEffect : Number(harm);
    if (!(maxHarm > 0 && maxHarm <= MAX_HARM)) {
      throw invalidField(
        '/guardrails',
        `The harm to exclude must be greater than 0 and at most ${MAX_HARM}.`,
      );
    }
    return { goal, maxHarm };
  });
}

/** Who takes part in the planned test; null for all visitors. */
export type PlannedAudience = PlanResponse['audience'];

interface PlanBasis {
  readonly recent: GoalBaseline;
  readonly guardrails: readonly (PlannedGuardrail & { readonly baseline: GoalBaseline })[];
  readonly audience: PlannedAudience;
}

/** Estimates how long a test would take, based on recent traffic. */
export function planResponse(
  { statistics }: Pick<PropertyConfiguration, 'statistics'>,
  goal: Goal,
  query: PlanQuery,
  { recent, guardrails, audience }: PlanBasis,
): PlanResponse {
  const { smallestEffect = DEFAULT_EFFECT, power = 0.8, variations = 2 } = query;
  const { trafficAllocation = 100, days = 28 } = query;
  const { mean, variance } = armOf(goal, recent);
  const dailyVisitors = ((recent.visitors / days) * (audience?.share ?? 1) * trafficAllocation) / 100;
  // A plan gives the test its planned number of visitors.
  const method = methodOf({ statistics, plannedVisitors: recent.visitors }, recent.visitors);
  const baseline = baselineOf(goal, recent);
  const plan =
    baseline &&
    planTest({
      ...method,
      spending: statistics.spending,
      correction: statistics.correction,
      baseline,
      smallestEffect: { kind: 'relative', value: smallestEffect },
      power,
      variations,
      dailyVisitors,
    });
  const guarded = guardrails.map((it) => {
    const known = baselineOf(it.goal, it.baseline);
    const { alpha, sequentialN } = statistics;
    const visitors =
      known && planGuardrail({ baseline: known, maxHarm: it.maxHarm, alpha, sequentialN, power, variations });
    return {
      goalId: it.goal.id,
      name: it.goal.name,
      maxHarm: it.maxHarm,
      visitors,
      days: visitors === null || !(dailyVisitors > 0) ? null : Math.ceil(visitors / dailyVisitors),
    };
  });
  return {
    goalId: goal.id,
    metric: goal.kind === 'count' ? 'conversion-rate' : 'revenue-per-visitor',
    engine: method.method,
    alpha: statistics.alpha,
    power,
    smallestEffect,
    baseline: { days, visitors: recent.visitors, converted: recent.converted, mean, variance },
    audience,
    dailyVisitors,
    visitorsPerVariation: plan?.visitorsPerVariation ?? null,
    visitors: plan?.visitors ?? null,
    days: plan?.days ?? null,
    guardrails: guarded.map(({ name: _name, ...it }) => it),
    words: describePlan({
      goal: goal.name,
      historyDays: days,
      visitors: recent.visitors,
      converted: recent.converted,
      smallestEffect,
      variations,
      power,
      plan,
      canStopEarly: method.method !== 'frequentist',
      guardrails: guarded,
      audienceShare: audience?.share,
    }),
  };
}

const armOf = (goal: Goal, recent: GoalBaseline) =>
  goal.kind === 'count'
    ? proportionArm({ n: recent.visitors, sum: recent.converted })
    : meanArm({ n: recent.visitors, ...recent.amount });

/** Null without data. */
function baselineOf(goal: Goal, recent: GoalBaseline): Baseline | null {
  const { mean, variance } = armOf(goal, recent);
  if (mean === null || variance === null) return null;
  return goal.kind === 'count' ? { metric: 'proportion', rate: mean } : { metric: 'mean', mean, variance };
}
