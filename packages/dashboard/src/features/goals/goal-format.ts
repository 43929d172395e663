import { formatCompact, formatMoney } from '../../ui/format/format.ts';
import type { Goal } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';

/** How to write the progress of a goal: an amount of money, or a number of conversions. */
export function useGoalFormat({ kind }: Pick<Goal, 'kind'>): (value: number) => string {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  return kind === 'revenue' ? (value) => formatMoney(value, currency) : formatCompact;
}
