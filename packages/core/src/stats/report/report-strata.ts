import { addCounts, type VariationCounts, type VisitorCounts } from './report-counts.ts';

/** With fewer visitors of a variation, a stratum has no usable mean and variance. */
const MIN_VISITORS = 25;

/**
 * The strata that visitors are compared in: for each, the counts of all variations. Small strata are combined, and if
 * that is still too small, added to the largest one.
 */
export const comparedStrata = (counts: readonly VariationCounts[]): readonly (readonly VisitorCounts[])[] =>
  largeStrata<VisitorCounts>(counts, addCounts);

/** The same for other counts, which `add` adds up. */
export function largeStrata<C extends { readonly visitors: number }>(
  counts: readonly (C & { readonly strata: readonly C[] })[],
  add: (counts: readonly C[]) => C,
): readonly (readonly C[])[] {
  const strata = (counts[0]?.strata ?? []).map((_, index) => counts.map((it) => it.strata[index]!));
  const isPresent = counts.map(({ visitors }) => visitors > 0);
  const smallest = (stratum: readonly C[]) =>
    Math.min(...stratum.filter((_, index) => isPresent[index]).map(({ visitors }) => visitors));
  const large = strata.filter((stratum) => smallest(stratum) >= MIN_VISITORS);
  const combined = (some: readonly (readonly C[])[]) =>
    some[0]?.map((_, index) => add(some.map((stratum) => stratum[index]!)));
  const rest = combined(strata.filter((stratum) => smallest(stratum) < MIN_VISITORS));
  if (large.length === 0) return [counts];
  if (rest === undefined) return large;
  if (smallest(rest) >= MIN_VISITORS) return [...large, rest];
  const [largest, ...others] = large.toSorted((a, b) => smallest(b) - smallest(a));
  return [combined([largest!, rest])!, ...others];
}
