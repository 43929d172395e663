import type { TrafficDimension, TrafficSummary } from '@switchyard/core/api/traffic';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { type Period, periodQuery } from '../../ui/fields/period-of.ts';

export type TrafficFilters = Partial<Record<TrafficDimension, string>> & { bots?: 'only' };

export interface TrafficScope {
  propertyId: string;
  period: Period;
  filters?: TrafficFilters;
}

/** A question about the traffic of a period. */
export function trafficQuery<T>(
  question: string,
  scope: TrafficScope,
  more: Record<string, string | number> = {},
) {
  const { propertyId, period, filters = {} } = scope;
  const query = { propertyId, ...periodQuery(period), ...filters, ...more };
  return queryOptions({
    queryKey: ['traffic', propertyId, question, query],
    queryFn: ({ signal }) => request<T>(`/v1/traffic/${question}`, { query, signal }),
    placeholderData: keepPreviousData,
  });
}

export const summaryQuery = (scope: TrafficScope) => trafficQuery<TrafficSummary>('summary', scope);
