/** Shares of 100 with one decimal that add up to exactly 100; the largest remainders are rounded up. */
export function weightShares(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + Math.max(0, weight), 0);
  if (total <= 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (Math.max(0, weight) / total) * 1000);
  const shares = exact.map(Math.floor);
  let missing = 1000 - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder);
  for (const { index } of byRemainder) {
    if (missing-- <= 0) break;
    shares[index]! += 1;
  }
  return shares.map((share) => share / 10);
}

/** Equal weights: percentages where they are whole numbers, else 1 each. */
export const equalWeight = (count: number): number => (100 % count === 0 ? 100 / count : 1);

/** One more variation with the average weight. Percentages still add up to 100; equal weights like 1 : 1 stay. */
export function weightsWithOneMore(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total <= 0) return [...weights, 1];
  const extended = [...weights, total / weights.length];
  const isEqual = weights.every((weight) => weight === weights[0]);
  return isEqual && total !== 100 ? extended : weightShares(extended);
}
