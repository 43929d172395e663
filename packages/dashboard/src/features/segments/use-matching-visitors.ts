import type { Impact } from '@switchyard/core/api/impact';
import { useQuery } from '@tanstack/react-query';
import { propertyPath, request } from '../../api.ts';
import { limitConcurrency } from '../../limit-concurrency.ts';
import type { ManagedSegment } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';

/** Each replays the sessions of a week. */
const limited = limitConcurrency(2);
const MINUTE = 60_000;

/** How many visitors of the last 7 days match a segment as it is saved. */
export function useMatchingVisitors({ id, version, ...definition }: ManagedSegment, isWanted = true) {
  const { propertyId } = useProperty();
  return useQuery({
    queryKey: ['impact', propertyId, 'segment', id, version],
    queryFn: ({ signal }) =>
      limited(() =>
        request<Impact>(propertyPath(propertyId, 'impact'), {
          method: 'POST',
          body: { type: 'segment', key: id, definition },
          signal,
        }),
      ),
    enabled: isWanted,
    staleTime: 5 * MINUTE,
    retry: 1,
  });
}
