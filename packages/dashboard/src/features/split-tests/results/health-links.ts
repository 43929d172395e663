import type { HealthProblem, Results } from './results-types.ts';

interface SessionsLink {
  label: string;
  search: Record<string, string>;
}

/** The sessions behind an alarm. */
export function sessionsBehind(problem: HealthProblem, results: Results): SessionsLink {
  const inTest = testSearch(results);
  const of = (variationKey: string): SessionsLink => ({
    label: `Sessions with “${variationKey}”`,
    search: { ...inTest, variationKey },
  });
  switch (problem.problem) {
    case 'mixed-visitors':
      return mixedSessions(results);
    case 'sample-ratio-mismatch': {
      const { visitors } = problem as unknown as { visitors: Deviation[] };
      return of(visitors.toSorted((a, b) => distance(b) - distance(a))[0]!.key);
    }
    case 'novelty':
    case 'missing-conversions':
      return of((problem as unknown as { variation: string }).variation);
    default:
      return { label: 'Sessions of this test', search: inTest };
  }
}

export const mixedSessions = (results: Results): SessionsLink => ({
  label: 'Sessions of visitors who saw several variations',
  search: { ...testSearch(results), multipleVariations: 'true' },
});

/** Filters of the session list: this test, in the phase that is shown. */
export const testSearch = ({ splitTestKey, phase }: Results): Record<string, string> => ({
  splitTestKey,
  ...(phase && { phase: String(phase.number) }),
});

interface Deviation {
  key: string;
  visitors: number;
  expected: number;
}
const distance = ({ visitors, expected }: Deviation) => Math.abs(visitors - expected);
