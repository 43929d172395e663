export type Adjustment = 'none' | 'holm' | 'benjamini-hochberg';

/** P-values made fit for being read side by side; a null (nothing was tested) stays null and is not counted. */
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

/** Keeps the chance of any false alarm at alpha; takes p-values from smallest to largest. */
function holm(ascending: readonly number[]): number[] {
  let reached = 0;
  return ascending.map((p, rank) => {
    reached = Math.max(reached, Math.min(1, p * (ascending.length - rank)));
    return reached;
  });
}

/** Keeps the expected share of false alarms among the alarms at alpha; takes p-values from smallest to largest. */
function benjaminiHochberg(ascending: readonly number[]): number[] {
  let reached = 1;
  return ascending
    .map((p, rank) => ({ p, rank }))
    .toReversed()
    .map(({ p, rank }) => {
      reached = Math.min(reached, p * (ascending.length / (rank + 1)));
      return reached;
    })
    .toReversed();
}
