import { urgentVerdict } from '../verdict-summary.ts';
import type { Results } from './results-types.ts';
import { useResultFilters } from './use-result-filters.ts';

/** The variation that the chart and the breakdown compare with the control: the chosen one, or that of the verdict. */
export function useComparedVariation(): (results: Results) => string | undefined {
  const [{ variation }] = useResultFilters();
  return (results) => {
    const others = results.variations.slice(1).map(({ key }) => key);
    return others.find((key) => key === variation) ?? urgentVerdict(results)?.variation ?? others[0];
  };
}
