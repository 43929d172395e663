import type { PlanResponse } from '@switchyard/core/api/test-plan';
import { metricGoalId } from '@switchyard/core/metrics/metric-goal-id';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { useSettled } from '../../ui/hooks/use-settled.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { MeasuredBy } from './outcome-form.ts';
import { maxHarmOf, type Outcome, outcomeId } from './outcome-options.ts';

/** Who is compared with whom, as the planner expects it. */
export interface PlannedDivision {
  /** Those that visitors still enter. */
  variations: number;
  /** Percentage of the audience that takes part. */
  participating: number;
  /** As JSON; undefined: all visitors. */
  audience: string | undefined;
  /** How many times more visitors it takes than with equal shares; default: 1. */
  unevenness?: number;
}

const DEFAULT_EFFECT = 0.05;
const MAX_EFFECT = 10;
/** As many as the planner takes. */
const MAX_GUARDRAILS = 20;

/** A goal or a metric, as the planner wants to know it. */
export type PlannedOutcome = { goalId: string } | { metric: string };

/** Plans are made for goals and metrics; undefined for feedback. */
export function plannedOutcome(outcome: Outcome | undefined): PlannedOutcome | undefined {
  if (typeof outcome === 'string') return { goalId: outcome };
  return outcome && 'metric' in outcome ? { metric: outcome.metric } : undefined;
}

/** How long it takes to find the smallest effect. `outcome` undefined: not asked. */
export function useTestPlan(
  outcome: PlannedOutcome | undefined,
  { smallestEffect, guardrails }: MeasuredBy,
  { variations, participating, audience, unevenness = 1 }: PlannedDivision,
  power: number,
) {
  const { propertyId } = useProperty();
  const query = useSettled({
    smallestEffect: Math.min(smallestEffect ?? DEFAULT_EFFECT, MAX_EFFECT),
    variations: Math.min(Math.max(variations, 2), 60),
    // Visitors who tell less are like fewer visitors.
    trafficAllocation: Math.min(participating / unevenness, 100),
    guardrails: plannedGuardrails(guardrails, smallestEffect),
    audience,
  });
  return useQuery({
    queryKey: ['test-plan', propertyId, outcome, power, query],
    queryFn: ({ signal }) =>
      request<PlanResponse>('/v1/split-testing/plan', {
        query: { propertyId, ...outcome, power, ...query },
        signal,
      }),
    enabled: outcome !== undefined && query.trafficAllocation > 0,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
}

/** The goals and metrics among the guardrails, as the planner expects them; undefined if there are none. */
function plannedGuardrails(
  guardrails: MeasuredBy['guardrails'],
  smallestEffect: number | null,
): string | undefined {
  const texts = guardrails
    .filter((guardrail) => typeof guardrail === 'string' || !('feedbackType' in guardrail))
    .map((guardrail) => {
      const maxHarm = maxHarmOf(guardrail) ?? smallestEffect ?? DEFAULT_EFFECT;
      const isMetric = typeof guardrail !== 'string' && 'metric' in guardrail;
      const id = isMetric ? metricGoalId(guardrail.metric) : outcomeId(guardrail);
      return `${id}:${Number(Math.min(maxHarm, MAX_EFFECT).toFixed(6))}`;
    });
  return texts.length === 0 ? undefined : texts.slice(0, MAX_GUARDRAILS).join(',');
}
