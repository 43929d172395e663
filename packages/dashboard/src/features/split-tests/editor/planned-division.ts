import type { PlanResponse } from '@switchyard/core/api/test-plan';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from '../../../api.ts';
import { useSettled } from '../../../ui/hooks/use-settled.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { plannedAudience } from '../../outcomes/planned-audience.ts';
import type { PlannedDivision } from '../../outcomes/use-test-plan.ts';
import type { SplitTestDraft } from './split-test-draft.ts';

export type AudienceShare = NonNullable<PlanResponse['audience']>;

/** Who is compared with whom in the test of a draft. */
export const plannedDivision = (draft: SplitTestDraft): PlannedDivision => ({
  variations: draft.variations.filter(({ weight, retired }) => weight > 0 && !retired).length,
  participating: participatingShare(draft),
  audience: plannedAudience(draft.audience),
});

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

/** Any goal has them in its plan; undefined if they are not known. */
export function useDailyVisitors(draft: SplitTestDraft): DailyVisitors | undefined {
  const { propertyId, configuration } = useProperty();
  const goalId = configuration.goals[0]?.id;
  const audience = useSettled(plannedAudience(draft.audience));
  const { data } = useQuery({
    queryKey: ['test-plan', propertyId, goalId, 'visitors', audience],
    queryFn: ({ signal }) =>
      request<PlanResponse>('/v1/split-testing/plan', { query: { propertyId, goalId, audience }, signal }),
    enabled: goalId !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
  if (data === undefined || data.baseline.visitors === 0) return undefined;
  // The answer is about another draft, or the audience is not complete.
  if ((data.audience === null) !== !draft.audience) return undefined;
  const { visitors, days } = data.baseline;
  return { daily: (visitors / days) * (data.audience?.share ?? 1), audience: data.audience };
}
