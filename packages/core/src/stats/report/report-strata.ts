import { addCounts, type VariationCounts, type VisitorCounts } from './report-counts.ts';

/** With fewer visitors of a variation, a stratum has no usable mean and variance. */
const MIN_VISITORS = 25;

/**
 * The strata that visitors are compared in: for each, the counts of all variations. Small strata are combined, and if
 * that is still too small, added to the largest one.
 */
export function comparedStrata(counts: readonly VariationCounts[]): readonly (readonly VisitorCounts[])[] {
  const strata = (counts[0]?.strata ?? []).map((_, index) => counts.map((it) => it.strata[index]!));
  const isPresent = counts.map(({ visitors }) => visitors > 0);
  const smallest = (stratum: readonly VisitorCounts[]) =>
    Math.min(...stratum.filter((_, index) => isPresent[index]).map(({ visitors }) => visitors));
  const large = strata.filter((stratum) => smallest(stratum) >= MIN_VISITORS);
  const rest = combined(strata.filter((stratum) => smallest(stratum) < MIN_VISITORS));
  if (large.length === 0) return [counts];
  if (rest === undefined) return large;
  if (smallest(rest) >= MIN_VISITORS) return [...large, rest];
  const [largest, ...others] = large.toSorted((a, b) => smallest(b) - smallest(a));
  return [combined([largest!, rest])!, ...others];
}

function combined(strata: readonly (readonly VisitorCounts[])[]): readonly VisitorCounts[] | undefined {
  return strata[0]?.map((_, index) => addCounts(strata.map((stratum) => stratum[index]!)));
}
