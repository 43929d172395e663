import type { GoalProgress } from '@switchyard/core/api/goals';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api.ts';
import type { Goal } from '../configuration/configuration-types.ts';
import { targetPeriod } from './goal-pace.ts';

const MINUTE = 60_000;

/** The progress of a goal in the current period of its target. */
export function targetQuery(propertyId: string, goal: Goal) {
  const now = Date.now();
  const { from, to: end } = targetPeriod(goal.target?.period ?? 'month', now);
  // The next minute, unless the period ends before.
  const to = Math.min(Math.ceil((now + 1) / MINUTE) * MINUTE, end);
  return queryOptions({
    queryKey: ['goal-progress', propertyId, goal.id, 'target', from],
    queryFn: ({ signal }) =>
      request<GoalProgress>('/v1/goals/progress', {
        query: { propertyId, goalId: goal.id, from, to },
        signal,
      }),
    staleTime: MINUTE,
  });
}
