import type { SplitTestResults } from '@switchyard/core/api/results';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { limitConcurrency } from '../../limit-concurrency.ts';
import { type ReportedTest, resultsOf } from './reported-test.ts';
import { hasOpenResults, isInTest } from './split-test-facts.ts';

/** Results are computed one after the other on the server; other pages want some too. */
const limited = limitConcurrency(2);

/** The latest results of a test, for lists and headers. */
export const verdictQuery = (propertyId: string, test: ReportedTest) => {
  const { endpoint, query } = resultsOf(test);
  return queryOptions({
    queryKey: [
      'split-test-verdict',
      propertyId,
      test.key,
      test.status,
      test.phases.length,
      test.variations.filter(isInTest).length,
    ],
    queryFn: ({ signal }) =>
      limited(() => request<SplitTestResults>(endpoint, { query: { propertyId, ...query }, signal })),
    enabled: hasOpenResults(test),
    staleTime: 60_000,
  });
};
