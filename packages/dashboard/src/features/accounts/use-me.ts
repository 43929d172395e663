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

/** The server tells whether it got a session cookie with the page, because scripts cannot read it. */
let hasSession = document.querySelector<HTMLMetaElement>('meta[name="session-cookie"]')?.content !== 'none';

/** False if asking who is signed in would only end as an error in the console. */
export const maybeSignedIn = (): boolean => hasSession;

/** After signing in or out, nothing of another account stays in memory. */
export function changeAccount(client: QueryClient, isSignedIn: boolean): void {
  hasSession = isSignedIn;
  client.clear();
}
