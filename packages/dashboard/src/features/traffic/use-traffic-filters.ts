import { useMemo } from 'react';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { DIMENSION_LABELS } from './traffic-dimensions.ts';
import type { TrafficFilters } from './traffic-query.ts';

const NAMES = [...Object.keys(DIMENSION_LABELS), 'bots'];
const URL_DEFAULTS = Object.fromEntries(NAMES.map((name) => [name, '']));

/** The filters of the traffic page, from the URL. */
export function useTrafficFilters(): [TrafficFilters, (filters: TrafficFilters) => void] {
  const [url, change] = useUrlState(URL_DEFAULTS);
  const filters = useMemo(
    () => Object.fromEntries(Object.entries(url).filter(([, value]) => value !== '')),
    [url],
  );
  const set = (next: TrafficFilters) => change({ ...URL_DEFAULTS, ...next });
  return [filters, set];
}
