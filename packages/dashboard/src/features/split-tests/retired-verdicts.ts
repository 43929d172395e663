import type { SplitTestResults } from '@switchyard/core/api/results';
import { overallVerdict, type Verdict } from '@switchyard/core/stats/report/verdict';
import type { SplitTest } from '../configuration/configuration-types.ts';

/** Keys of the variations that are retired in a phase; default: the latest. */
export function retiredIn(test: SplitTest, phase?: number): ReadonlySet<string> {
  const earlier = test.phases.slice(0, -1).find(({ number }) => number === phase);
  const { variations } = earlier?.definition ?? test;
  return new Set(variations.flatMap(({ key, retired }) => (retired ? [key] : [])));
}

/** What to do about a retired variation is decided. */
export function withoutRetired(results: SplitTestResults, test: SplitTest): SplitTestResults {
  const retired = retiredIn(test, results.phase?.number);
  if (retired.size === 0) return results;
  const verdicts = results.verdicts.filter(({ variation }) => !retired.has(variation));
  const next = overallVerdict(verdicts as unknown as Verdict[]);
  return {
    ...results,
    verdicts,
    verdict: verdicts.find((each) => each.variation === next?.variation) ?? null,
  };
}
