import type { PlanResponse } from '@switchyard/core/api/test-plan';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { useSettled } from '../../ui/hooks/use-settled.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { MeasuredBy } from './outcome-form.ts';
import { maxHarmOf, outcomeId } from './outcome-options.ts';

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

/** How long it takes to find the smallest effect. `goalId` undefined: not asked. */
export function useTestPlan(
  goalId: string | undefined,
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
    queryKey: ['test-plan', propertyId, goalId, power, query],
    queryFn: ({ signal }) =>
      request<PlanResponse>('/v1/split-testing/plan', {
        query: { propertyId, goalId, power, ...query },
        signal,
      }),
    enabled: goalId !== undefined && query.trafficAllocation > 0,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
}

/** The goals among the guardrails, as the planner expects them; undefined if there are none. */
function plannedGuardrails(
  guardrails: MeasuredBy['guardrails'],
  smallestEffect: number | null,
): string | undefined {
  const texts = guardrails
    .filter((guardrail) => typeof guardrail === 'string' || 'goalId' in guardrail)
    .map((guardrail) => {
      const maxHarm = maxHarmOf(guardrail) ?? smallestEffect ?? DEFAULT_EFFECT;
      return `${outcomeId(guardrail)}:${Number(Math.min(maxHarm, MAX_EFFECT).toFixed(6))}`;
    });
  return texts.length === 0 ? undefined : texts.slice(0, MAX_GUARDRAILS).join(',');
}
