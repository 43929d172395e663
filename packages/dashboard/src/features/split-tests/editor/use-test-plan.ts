import type { PlanResponse } from '@switchyard/core/api/test-plan';
import { metricGoalId } from '@switchyard/core/metrics/metric-goal-id';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from '../../../api.ts';
import { useSettled } from '../../../ui/hooks/use-settled.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { missingIn } from './audience-gaps.ts';
import { maxHarmOf, type Outcome, outcomeId } from './outcome-options.ts';
import type { SplitTestDraft } from './split-test-draft.ts';

export type AudienceShare = NonNullable<PlanResponse['audience']>;

const DEFAULT_EFFECT = 0.05;
const MAX_EFFECT = 10;
/** More does not fit into the address of a request. */
const MAX_AUDIENCE = 8000;
/** As many as the planner takes. */
const MAX_GUARDRAILS = 20;

/** A goal or a metric, as the planner wants to know it. */
export type PlannedOutcome = { goalId: string } | { metric: string };

/** Plans are made for goals and metrics; undefined for feedback. */
export function plannedOutcome(outcome: Outcome | undefined): PlannedOutcome | undefined {
  if (typeof outcome === 'string') return { goalId: outcome };
  return outcome && 'metric' in outcome ? { metric: outcome.metric } : undefined;
}

/** How long the test of a draft takes. `outcome` undefined: not asked. */
export function useTestPlan(outcome: PlannedOutcome | undefined, draft: SplitTestDraft, power: number) {
  const { propertyId } = useProperty();
  const weighted = draft.variations.filter(({ weight, retired }) => weight > 0 && !retired).length;
  const query = useSettled({
    smallestEffect: Math.min(draft.smallestEffect ?? DEFAULT_EFFECT, MAX_EFFECT),
    variations: Math.min(Math.max(weighted, 2), 60),
    trafficAllocation: participatingShare(draft),
    guardrails: plannedGuardrails(draft),
    audience: plannedAudience(draft),
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
function plannedGuardrails({ guardrails, smallestEffect }: SplitTestDraft): string | undefined {
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

/** As the planner expects it; undefined if there is none, an incomplete one, or one that is too long. */
export function plannedAudience({ audience }: SplitTestDraft): string | undefined {
  if (!audience || audience.conditions.length === 0 || missingIn(audience).length > 0) return undefined;
  const text = JSON.stringify(audience);
  return encodeURIComponent(text).length > MAX_AUDIENCE ? undefined : text;
}

/**
 * Percentage of the audience that takes part: the traffic, within the share of an exclusion group, without retired
 * variations.
 */
export function participatingShare({ trafficAllocation, exclusion, variations }: SplitTestDraft): number {
  const weightOf = (list: SplitTestDraft['variations']) => list.reduce((sum, { weight }) => sum + weight, 0);
  const retired = weightOf(variations.filter((each) => each.retired)) / (weightOf(variations) || 1);
  return (trafficAllocation * (exclusion?.share ?? 100) * (1 - retired)) / 100;
}

interface DailyVisitors {
  /** Those of the property who belong to the audience. */
  daily: number;
  /** Null for all visitors. */
  audience: AudienceShare | null;
}

/** Any goal or metric has them in its plan; undefined if they are not known. */
export function useDailyVisitors(draft: SplitTestDraft): DailyVisitors | undefined {
  const { propertyId, configuration } = useProperty();
  const { goals, metrics } = configuration;
  const outcome = plannedOutcome(goals[0]?.id ?? (metrics[0] && { metric: metrics[0].id }));
  const audience = useSettled(plannedAudience(draft));
  const { data } = useQuery({
    queryKey: ['test-plan', propertyId, outcome, 'visitors', audience],
    queryFn: ({ signal }) =>
      request<PlanResponse>('/v1/split-testing/plan', {
        query: { propertyId, ...outcome, audience },
        signal,
      }),
    enabled: outcome !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
  if (data === undefined || data.baseline.visitors === 0) return undefined;
  // The answer is about another draft, or the audience is not complete.
  if ((data.audience === null) !== !draft.audience) return undefined;
  const { visitors, days } = data.baseline;
  return { daily: (visitors / days) * (data.audience?.share ?? 1), audience: data.audience };
}
