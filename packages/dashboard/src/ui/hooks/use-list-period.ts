import { useState } from 'react';
import type { Period } from '../fields/period-of.ts';

/**
 * The limits of a list that loads more while it is scrolled. They stay the same until another period is chosen: a list
 * with a new limit would start over. Without an end, what is new appears when the list is loaded again.
 */
export function useListPeriod(period: Period): { from: number; to: number | undefined } {
  const [chosen, setChosen] = useState(period);
  if (chosen.label !== period.label) setChosen(period);
  const { from, to, isUntilNow } = chosen.label === period.label ? chosen : period;
  return { from, to: isUntilNow ? undefined : to };
}
