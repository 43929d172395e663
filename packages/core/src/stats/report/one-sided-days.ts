import type { HealthProblem } from './health.ts';
import { isCounted } from './report-counts.ts';
import { fullDays } from './report-days.ts';
import type { ReportInput } from './report-input.ts';

/** A variation without exposures is missing if this many are expected: by chance it happens once in 10^8 days. */
const MIN_EXPECTED = 20;

/**
 * Days on which only other variations were exposed: their new visitors are counted with what they did on that day, and
 * those of the variation are not. Only for tests whose exposures are stored once per visitor and day, because a single
 * visitor could have many otherwise.
 */
export function oneSidedDays(input: ReportInput): HealthProblem[] {
  const days = new Set(fullDays(input));
  const byDay = new Map<number, Map<string, number>>();
  for (const { at, variationKey, exposures } of input.exposures.filter(isCounted(input))) {
    if (!days.has(at)) continue;
    const own = byDay.get(at) ?? new Map<string, number>();
    byDay.set(at, own.set(variationKey, (own.get(variationKey) ?? 0) + exposures));
  }
  const oneSided = input.variations.flatMap(({ key, weight }) => {
    const others = input.variations.filter((it) => it.key !== key);
    const weights = others.reduce((sum, it) => sum + it.weight, 0);
    const silent = [...byDay.values()].filter((own) => {
      const expected = others.reduce((sum, it) => sum + (own.get(it.key) ?? 0), 0) * (weight / weights);
      return (own.get(key) ?? 0) === 0 && expected >= MIN_EXPECTED;
    });
    return silent.length > 0 ? [{ variation: key, days: silent.length }] : [];
  });
  return oneSided.length === 0 ? [] : [{ problem: 'missing-exposures', variations: [], days: 0, oneSided }];
}
