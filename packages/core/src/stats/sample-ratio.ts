import { chiSquareSurvival } from './distributions/gamma.ts';

export interface SampleRatio {
  readonly chiSquare: number;
  readonly degreesOfFreedom: number;
  readonly pValue: number;
}

/**
 * Chi-square test of the visitors per variation against the weights they were split by (any scale).
 * Null when there is nothing to test: nobody yet, or fewer than two variations with a weight.
 */
export function sampleRatio(visitors: readonly number[], weights: readonly number[]): SampleRatio | null {
  const total = visitors.reduce((sum, n) => sum + n, 0);
  const largest = Math.max(...weights);
  const scaled = weights.map((weight) => weight / largest);
  const allWeights = scaled.reduce((sum, weight) => sum + weight, 0);
  const weighted = scaled.filter((weight) => weight > 0).length;
  if (total === 0 || weighted < 2) return null;
  let chiSquare = 0;
  for (const [index, n] of visitors.entries()) {
    const wanted = (total * (scaled[index] ?? 0)) / allWeights;
    // Visitors where none may be: no split by these weights gives that.
    if (wanted === 0) chiSquare += n > 0 ? Infinity : 0;
    else chiSquare += (n - wanted) ** 2 / wanted;
  }
  const degreesOfFreedom = weighted - 1;
  return { chiSquare, degreesOfFreedom, pValue: chiSquareSurvival(chiSquare, degreesOfFreedom) };
}
