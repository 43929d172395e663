import type { Arm } from './arm.ts';
import { effectOf, withSpreadOfBoth } from './effect.ts';
import { normalSurvival } from './normal.ts';

export interface Novelty {
  /** Effect on the visitors of the first days, and on those who came later. */
  readonly early: number;
  readonly late: number;
  /** Of the two being the same. */
  readonly pValue: number;
}

interface Pair {
  readonly control: Arm;
  readonly variation: Arm;
}

/**
 * Whether those who came in the first days reacted differently from those who came later: something new draws
 * attention for a while. The two groups share no visitor. Null when either tells nothing.
 */
export function noveltyOf(first: Pair, later: Pair): Novelty | null {
  const early = withSpreadOfBoth(effectOf(first.control, first.variation)).absolute;
  const late = withSpreadOfBoth(effectOf(later.control, later.variation)).absolute;
  if (early === null || late === null || early.variance === null || late.variance === null) return null;
  const z = (early.value - late.value) / Math.sqrt(early.variance + late.variance);
  return { early: early.value, late: late.value, pValue: 2 * normalSurvival(Math.abs(z)) };
}
