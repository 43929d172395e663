import type { Me } from '@switchyard/core/api/accounts';
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => request<Me>('/v1/manage/me', { signal }),
  staleTime: 60_000,
});

/** The signed-in account and its roles; routes load it before they are shown. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** After signing out, nothing of the account stays in memory. */
export function forgetAccount(client: QueryClient): void {
  client.clear();
}
