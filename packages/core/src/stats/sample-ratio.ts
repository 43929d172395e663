import { logGamma } from './distributions/stirling.ts';

export interface SampleRatio {
  readonly pValue: number;
}

/**
 * How strongly the alternatives are concentrated around the weights, from splits that are completely different to
 * differences of a tenth of a percent. All are mixed, because nobody knows how large a mistake is.
 */
const CONCENTRATIONS = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6];

/**
 * Tests the visitors per variation against the weights (on any scale), as often as one likes: the chance that the
 * p-value ever falls below alpha is at most alpha (Lindon and Malek 2022, arXiv 2011.03567). It is the inverse of a Bayes
 * factor of a multinomial distribution with Dirichlet alternatives. Null without visitors, or with fewer than two
 * variations that have a weight.
 */
export function sampleRatio(visitors: readonly number[], weights: readonly number[]): SampleRatio | null {
  const total = visitors.reduce((sum, n) => sum + n, 0);
  const maxWeight = Math.max(...weights);
  const scaled = weights.map((weight) => weight / maxWeight);
  const totalWeight = scaled.reduce((sum, weight) => sum + weight, 0);
  const weighted = visitors.flatMap((n, index) =>
    scaled[index]! > 0 ? [{ n, share: scaled[index]! / totalWeight }] : [],
  );
  if (total === 0 || weighted.length < 2) return null;
  // Visitors in a variation with weight 0 are impossible.
  if (visitors.some((n, index) => n > 0 && !(scaled[index]! > 0))) return { pValue: 0 };
  const expected = weighted.reduce((sum, { n, share }) => sum + n * Math.log(share), 0);
  const logFactors = CONCENTRATIONS.map((concentration) => {
    const risen = weighted.map(({ n, share }) => logRising(concentration * share, n));
    return risen.reduce((sum, value) => sum + value, 0) - logRising(concentration, total) - expected;
  });
  const highest = Math.max(...logFactors);
  const mean = logFactors.reduce((sum, value) => sum + Math.exp(value - highest), 0) / CONCENTRATIONS.length;
  return { pValue: Math.min(1, Math.exp(-highest) / mean) };
}

/** The logarithm of x · (x + 1) · … · (x + n - 1). */
const logRising = (x: number, n: number) => logGamma(x + n) - logGamma(x);
