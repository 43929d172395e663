import type { MetricPreview } from '@switchyard/core/api/metrics';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { limitConcurrency } from '../../limit-concurrency.ts';
import { useSettled } from '../../ui/hooks/use-settled.ts';
import type { Metric } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { isComplete, type MetricDraft } from './metric-draft.ts';

/** Each reads the events of a month. */
const limited = limitConcurrency(2);
const MINUTE = 60_000;

/** What a metric that is not saved was in the last days; not asked before it is complete. */
export function useDraftPreview(draft: MetricDraft) {
  const { propertyId } = useProperty();
  const { id: _id, name: _name, version: _version, description: _description, tags: _tags, ...given } = draft;
  const definition = useSettled(JSON.stringify(given));
  return useQuery({
    queryKey: ['metric-preview', propertyId, definition],
    queryFn: ({ signal }) =>
      request<MetricPreview>('/v1/metrics/preview', { query: { propertyId, definition }, signal }),
    enabled: isComplete(draft) && definition === JSON.stringify(given),
    placeholderData: keepPreviousData,
    staleTime: 5 * MINUTE,
  });
}

/** The same of a metric as it is saved. */
export function useMetricPreview({ id, version }: Metric, isWanted: boolean) {
  const { propertyId } = useProperty();
  return useQuery({
    queryKey: ['metric-preview', propertyId, id, version],
    queryFn: ({ signal }) =>
      limited(() =>
        request<MetricPreview>('/v1/metrics/preview', { query: { propertyId, metric: id }, signal }),
      ),
    enabled: isWanted,
    staleTime: 5 * MINUTE,
    retry: 1,
  });
}
