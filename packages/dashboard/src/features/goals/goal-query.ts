import type { GoalProgress, Interval } from '@switchyard/core/api/goals';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { limitConcurrency } from '../../limit-concurrency.ts';
import { type Period, periodQuery } from '../../ui/fields/period-of.ts';

export type Progress = GoalProgress;

const limited = limitConcurrency(4);

/** The progress of a goal in a period, and in the one before. */
export function progressQuery(propertyId: string, goalId: string, period: Period, interval: Interval) {
  const query = { propertyId, goalId, ...periodQuery(period), interval };
  return queryOptions({
    queryKey: ['goal-progress', propertyId, goalId, query],
    queryFn: ({ signal }) => limited(() => request<GoalProgress>('/v1/goals/progress', { query, signal })),
    placeholderData: keepPreviousData,
  });
}
