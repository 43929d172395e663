import { useDebouncedValue } from '@mantine/hooks';
import type { PlanResponse } from '@switchyard/core/api/test-plan';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from '../../../api.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { maxHarmOf, outcomeId } from './outcome-options.ts';
import type { SplitTestDraft } from './split-test-draft.ts';

const DEFAULT_EFFECT = 0.05;
const MAX_EFFECT = 10;
/** As many as the planner takes. */
const MAX_GUARDRAILS = 20;

/** How long the test of a draft takes. `goalId` undefined: not asked. */
export function useTestPlan(goalId: string | undefined, draft: SplitTestDraft, power: number) {
  const { propertyId } = useProperty();
  const weighted = draft.variations.filter(({ weight }) => weight > 0).length;
  const [query] = useDebouncedValue(
    {
      smallestEffect: Math.min(draft.smallestEffect ?? DEFAULT_EFFECT, MAX_EFFECT),
      variations: Math.min(Math.max(weighted, 2), 60),
      trafficAllocation: participatingShare(draft),
      guardrails: plannedGuardrails(draft),
    },
    400,
  );
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
function plannedGuardrails({ guardrails, smallestEffect }: SplitTestDraft): string | undefined {
  const texts = guardrails
    .filter((guardrail) => typeof guardrail === 'string' || 'goalId' in guardrail)
    .map((guardrail) => {
      const maxHarm = maxHarmOf(guardrail) ?? smallestEffect ?? DEFAULT_EFFECT;
      return `${outcomeId(guardrail)}:${Number(Math.min(maxHarm, MAX_EFFECT).toFixed(6))}`;
    });
  return texts.length === 0 ? undefined : texts.slice(0, MAX_GUARDRAILS).join(',');
}

/** Percentage of all visitors who take part: the traffic, within the share of an exclusion group. */
export const participatingShare = ({ trafficAllocation, exclusion }: SplitTestDraft): number =>
  (trafficAllocation * (exclusion?.share ?? 100)) / 100;

/** Visitors of the property per day; undefined if that is not known. Any goal has them in its plan. */
export function useDailyVisitors(): number | undefined {
  const { propertyId, configuration } = useProperty();
  const goalId = configuration.goals[0]?.id;
  const { data } = useQuery({
    queryKey: ['test-plan', propertyId, goalId, 'visitors'],
    queryFn: ({ signal }) =>
      request<PlanResponse>('/v1/split-testing/plan', { query: { propertyId, goalId }, signal }),
    enabled: goalId !== undefined,
    staleTime: 300_000,
  });
  if (data === undefined || data.baseline.visitors === 0) return undefined;
  return data.baseline.visitors / data.baseline.days;
}
