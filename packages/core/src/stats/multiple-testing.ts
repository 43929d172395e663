export type Adjustment = 'none' | 'holm' | 'benjamini-hochberg';

/** Corrects p-values for multiple testing; null (not tested) stays null and does not count. */
export function adjustPValues(
  pValues: readonly (number | null)[],
  adjustment: Adjustment,
): (number | null)[] {
  if (adjustment === 'none') return [...pValues];
  const ranked = pValues
    .flatMap((p, index) => (p === null ? [] : [{ p, index }]))
    .toSorted((a, b) => a.p - b.p);
  const adjusted =
    adjustment === 'holm' ? holm(ranked.map(({ p }) => p)) : benjaminiHochberg(ranked.map(({ p }) => p));
  const result: (number | null)[] = pValues.map(() => null);
  for (const [rank, { index }] of ranked.entries()) result[index] = adjusted[rank]!;
  return result;
}

/** Controls the family-wise error rate; takes p-values in ascending order. */
function holm(ascending: readonly number[]): number[] {
  let max = 0;
  return ascending.map((p, rank) => {
    max = Math.max(max, Math.min(1, p * (ascending.length - rank)));
    return max;
  });
}

/** Controls the false discovery rate; takes p-values in ascending order. */
function benjaminiHochberg(ascending: readonly number[]): number[] {
  let min = 1;
  return ascending
    .map((p, rank) => ({ p, rank }))
    .toReversed()
    .map(({ p, rank }) => {
      min = Math.min(min, p * (ascending.length / (rank + 1)));
      return min;
    })
    .toReversed();
}
