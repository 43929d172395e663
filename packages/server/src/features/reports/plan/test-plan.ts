import type { PlanQuery, PlanResponse } from '@switchyard/core/api/test-plan';
import { metricGoalId } from '@switchyard/core/metrics/metric-goal-id';
import { planForMetric } from '@switchyard/core/stats/metrics/metric-plan';
import { planGuardrail } from '@switchyard/core/stats/planner';
import { methodOf } from '@switchyard/core/stats/report/report-method';
import { describePlan, type MeasuredFacts } from '@switchyard/core/stats/words/plan-words';
import { DAY_MS } from '@switchyard/core/time';
import type { PropertyConfiguration } from '../../../configuration/property/property-configuration.ts';
import { ApiError, invalidField } from '../../../platform/errors/errors.ts';
import { type OutcomeBaseline, type PlannedOutcome, plannedGoal, plannedMetric } from './planned-outcome.ts';

export const DEFAULT_EFFECT = 0.05;
const MAX_HARM = 10;

export const planPeriod = (days: number, now: number) => ({ from: now - days * DAY_MS, to: now });

/** An outcome that must not get worse by more than this, relative to the control. */
export interface PlannedGuardrail {
  readonly outcome: PlannedOutcome;
  readonly maxHarm: number;
}

type Outcomes = Pick<PropertyConfiguration, 'goals' | 'metrics'>;

/** The goal or metric of a query. */
export function plannedOutcome(property: Outcomes, { goalId, metric }: PlanQuery): PlannedOutcome {
  return metric === undefined ? goalIn(property, goalId) : metricIn(property, metric);
}

/** Refuses a query with no outcome, or with two. */
export function checkPlannedOutcome({ goalId, metric }: PlanQuery): void {
  if (goalId === undefined && metric === undefined) {
    throw invalidField('/goalId', 'is missing: a plan needs a goalId or a metric');
  }
  if (goalId !== undefined && metric !== undefined) {
    throw invalidField('/metric', 'cannot be combined with goalId: a test has one primary goal');
  }
}

function goalIn({ goals }: Outcomes, goalId: string | undefined): PlannedOutcome {
  const goal = goals.find(({ id }) => id === goalId);
  if (goal === undefined) throw new ApiError('goal_not_found');
  return plannedGoal(goal);
}

function metricIn(property: Outcomes, id: string): PlannedOutcome {
  const metric = property.metrics.find((it) => it.id === id);
  if (metric === undefined) throw new ApiError('not_found', { message: `There is no metric "${id}".` });
  return plannedMetric(metric, property);
}

/** Reads the guardrails of a query, such as `refunds:0.02,revenue,metric:load-time:0.1`. */
export function plannedGuardrails(
  property: Outcomes,
  { guardrails, smallestEffect = DEFAULT_EFFECT }: PlanQuery,
): PlannedGuardrail[] {
  return (guardrails?.split(',') ?? []).map((text) => {
    const { outcome, harm } = guardrailIn(property, text.split(':'));
    const maxHarm = harm === undefined ? smallestEffect : Number(harm);
    if (!(maxHarm > 0 && maxHarm <= MAX_HARM)) {
      throw invalidField(
        '/guardrails',
        `The harm to exclude must be greater than 0 and at most ${MAX_HARM}.`,
      );
    }
    return { outcome, maxHarm };
  });
}

function guardrailIn(property: Outcomes, [id = '', second, third]: string[]) {
  // A goal may have the id "metric".
  const isMetric = id === 'metric' && second !== undefined && !property.goals.some((it) => it.id === id);
  return isMetric
    ? { outcome: metricIn(property, second), harm: third }
    : { outcome: goalIn(property, id), harm: second };
}

/** Days until the last visitor counts. */
const windowOf = (outcome: PlannedOutcome) =>
  outcome.kind === 'metric' ? (outcome.definition.withinDays ?? 0) : 0;

/** Who takes part in the planned test; null for all visitors. */
export type PlannedAudience = PlanResponse['audience'];

interface PlanBasis {
  readonly recent: OutcomeBaseline;
  readonly guardrails: readonly (PlannedGuardrail & { readonly baseline: OutcomeBaseline })[];
  readonly audience: PlannedAudience;
}

type PlannedProperty = Pick<PropertyConfiguration, 'statistics' | 'displayCurrency'>;

/** Estimates how long a test would take, based on recent traffic. */
export function planResponse(
  { statistics, displayCurrency }: PlannedProperty,
  outcome: PlannedOutcome,
  query: PlanQuery,
  { recent, guardrails, audience }: PlanBasis,
): PlanResponse {
  const { smallestEffect = DEFAULT_EFFECT, power = 0.8, variations = 2 } = query;
  const { trafficAllocation = 100, days = 28 } = query;
  const { visitors, reached, baseline, mean, variance } = recent;
  const everybody = visitors + recent.pending;
  const dailyVisitors = ((everybody / recent.days) * (audience?.share ?? 1) * trafficAllocation) / 100;
  const windowDays = outcome.kind === 'metric' ? outcome.definition.withinDays : undefined;
  // A plan gives the test its planned number of visitors.
  const method = methodOf({ statistics, plannedVisitors: visitors }, visitors);
  const plan =
    baseline &&
    planForMetric({
      ...method,
      spending: statistics.spending,
      correction: statistics.correction,
      baseline,
      smallestEffect: { kind: 'relative', value: smallestEffect },
      power,
      variations,
      dailyVisitors,
      withinDays: windowDays ?? null,
    });
  const guarded = guardrails.map((it) => {
    const known = it.baseline.baseline;
    const { alpha, sequentialN } = statistics;
    const needed =
      known && planGuardrail({ baseline: known, maxHarm: it.maxHarm, alpha, sequentialN, power, variations });
    return {
      goalId: goalIdOf(it.outcome),
      name: it.outcome.name,
      maxHarm: it.maxHarm,
      visitors: needed,
      days:
        needed === null || !(dailyVisitors > 0)
          ? null
          : Math.ceil(needed / dailyVisitors) + windowOf(it.outcome),
    };
  });
  return {
    goalId: goalIdOf(outcome),
    metric: recent.measure,
    engine: method.method,
    alpha: statistics.alpha,
    power,
    smallestEffect,
    baseline: {
      days,
      visitors,
      converted: reached,
      mean,
      variance,
      ...(outcome.kind === 'metric' && { pending: recent.pending }),
    },
    audience,
    dailyVisitors,
    visitorsPerVariation: plan?.visitorsPerVariation ?? null,
    visitors: plan?.visitors ?? null,
    days: plan?.days ?? null,
    ...(windowDays !== undefined && { windowDays }),
    guardrails: guarded.map(({ name: _name, ...it }) => it),
    words: describePlan({
      goal: outcome.name,
      historyDays: days,
      visitors,
      converted: reached,
      smallestEffect,
      variations,
      power,
      plan,
      canStopEarly: method.method !== 'frequentist',
      guardrails: guarded,
      audienceShare: audience?.share,
      measured: measuredFacts(outcome, recent, displayCurrency),
    }),
  };
}

const goalIdOf = ({ kind, id }: PlannedOutcome) => (kind === 'metric' ? metricGoalId(id) : id);

/** How words speak of a metric; undefined for goals. */
export function measuredFacts(
  outcome: PlannedOutcome,
  { isShare, mean, pending }: OutcomeBaseline,
  currency: string,
): MeasuredFacts | undefined {
  if (outcome.kind !== 'metric') return undefined;
  const { format, withinDays } = outcome.definition;
  return { value: mean, isShare, format: isShare ? 'percent' : format, pending, withinDays, currency };
}
