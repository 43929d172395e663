import { useUrlState } from '../../../ui/hooks/use-url-state.ts';

const FILTERS = {
  /** Number of the phase; empty: the latest. */
  phase: '',
  /** `include` counts crawlers. */
  bots: '',
  /** Attribute of the breakdown. */
  by: '',
  /** The variation in the chart and the breakdown; empty: the one of the verdict. */
  variation: '',
} as const;

/** What the results show, kept in the URL. */
export const useResultFilters = () => useUrlState(FILTERS);
