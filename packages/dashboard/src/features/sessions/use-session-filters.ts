import { useMemo } from 'react';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';

/** Filters of the list, with the names of the API. `period` chooses `from` and `to`; empty: any time. */
const URL_DEFAULTS = {
  visitorId: '',
  userId: '',
  country: '',
  device: '',
  browser: '',
  os: '',
  page: '',
  splitTestKey: '',
  variationKey: '',
  phase: '',
  multipleVariations: '',
  goalId: '',
  converted: '',
  hasFeedback: '',
  bots: 'exclude',
} as const;

export type SessionFilters = Record<keyof typeof URL_DEFAULTS, string>;

const NAMES = Object.keys(URL_DEFAULTS) as (keyof SessionFilters)[];

export function useSessionFilters(): {
  filters: SessionFilters;
  change: (changes: Partial<SessionFilters>) => void;
  clear: () => void;
  isFiltered: boolean;
} {
  const [filters, change] = useUrlState(URL_DEFAULTS);
  const isFiltered = useMemo(() => NAMES.some((name) => filters[name] !== URL_DEFAULTS[name]), [filters]);
  return { filters, change, clear: () => change({ ...URL_DEFAULTS }), isFiltered };
}
