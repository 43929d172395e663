import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { request } from '../../../api.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { type ReportedTest, resultsOf } from '../reported-test.ts';
import type { Results } from './results-types.ts';
import { useResultFilters } from './use-result-filters.ts';

/** What a panel needs beyond the counts and the verdict. */
interface ResultsPart {
  by?: string;
  include?: 'series' | 'feedback';
}

interface ResultsQuery extends ResultsPart {
  propertyId: string;
  phase: string;
  bots: string;
}

/** In the key of a query: which test, and what of it. */
type ResultsKey = [kind: 'results', propertyId: string, endpoint: string, query: ResultsQuery];

const load = ([, , endpoint, query]: ResultsKey, signal: AbortSignal, fresh?: boolean) =>
  request<Results>(endpoint, { query: { ...query, fresh }, signal });

/** The results of the chosen phase. Each part is a request of its own, so that every panel loads by itself. */
export function useResults(test: ReportedTest, part: ResultsPart = {}) {
  const { propertyId } = useProperty();
  const [{ phase, bots }] = useResultFilters();
  const { endpoint, query } = resultsOf(test);
  const queryKey: ResultsKey = [
    'results',
    propertyId,
    endpoint,
    { propertyId, ...query, phase, bots, ...part },
  ];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => load(queryKey, signal),
    enabled: part.by !== '',
  });
}

/** Counts everything on the page again, without the cache of the server. */
export function useRefresh(): { refresh: () => void; isRefreshing: boolean } {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const [isRefreshing, setRefreshing] = useState(false);
  const refresh = useCallback(() => {
    setRefreshing(true);
    void loadAgain(client, propertyId).finally(() => setRefreshing(false));
  }, [client, propertyId]);
  return { refresh, isRefreshing };
}

async function loadAgain(client: QueryClient, propertyId: string): Promise<void> {
  const shown = client.getQueryCache().findAll({ queryKey: ['results', propertyId], type: 'active' });
  const counted = shown
    .filter((query) => !query.isDisabled())
    .map(({ queryKey }) =>
      client.fetchQuery({
        queryKey,
        queryFn: ({ signal }) => load(queryKey as ResultsKey, signal, true),
        staleTime: 0,
      }),
    );
  const others = ['result-sessions', 'split-test-verdict'].map((name) =>
    client.invalidateQueries({ queryKey: [name, propertyId] }),
  );
  // The panels show what failed.
  await Promise.allSettled([...counted, ...others]);
}
