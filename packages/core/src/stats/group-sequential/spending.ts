import { normalSurvival, normalUpperQuantile } from '../distributions/normal.ts';

/** How the accepted error rate is spent over the course of a test. */
export type Spending = 'obrien-fleming' | 'pocock';

export const SPENDINGS: readonly Spending[] = ['obrien-fleming', 'pocock'];

export const DEFAULT_SPENDING: Spending = 'obrien-fleming';

/** The part of alpha that is spent at an information fraction (Lan and DeMets 1983), each side of the test alike. */
export function spentAlpha(spending: Spending, alpha: number, fraction: number): number {
  if (fraction >= 1) return alpha;
  if (spending === 'pocock') return alpha * Math.log1p((Math.E - 1) * fraction);
  return 4 * normalSurvival(normalUpperQuantile(alpha / 4) / Math.sqrt(fraction));
}
