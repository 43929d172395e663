import { chiSquareSurvival } from './distributions/gamma.ts';

export interface SampleRatio {
  readonly chiSquare: number;
  readonly degreesOfFreedom: number;
  readonly pValue: number;
}

/**
 * Chi-square test of the visitors per variation against the weights (on any scale). Null without visitors, or with
 * fewer than two variations that have a weight.
 */
export function sampleRatio(visitors: readonly number[], weights: readonly number[]): SampleRatio | null {
  const total = visitors.reduce((sum, n) => sum + n, 0);
  const maxWeight = Math.max(...weights);
  const scaled = weights.map((weight) => weight / maxWeight);
  const totalWeight = scaled.reduce((sum, weight) => sum + weight, 0);
  const weightedCount = scaled.filter((weight) => weight > 0).length;
  if (total === 0 || weightedCount < 2) return null;
  let chiSquare = 0;
  for (const [index, n] of visitors.entries()) {
    const expected = (total * (scaled[index] ?? 0)) / totalWeight;
    // Visitors in a variation with weight 0 are impossible.
    if (expected === 0) chiSquare += n > 0 ? Infinity : 0;
    else chiSquare += (n - expected) ** 2 / expected;
  }
  const degreesOfFreedom = weightedCount - 1;
  return { chiSquare, degreesOfFreedom, pValue: chiSquareSurvival(chiSquare, degreesOfFreedom) };
}
