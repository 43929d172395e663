import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { isStoreUnavailable, LATE_REFRESH_MS, type RequestOptions, request } from '../../api.ts';

interface PagedQueryOptions<P> {
  queryKey: readonly unknown[];
  path: string;
  query: RequestOptions['query'];
  /** Shows the last list until the new one is there, for lists with filters. */
  keepsPrevious?: boolean;
  refetchInterval?: (data: InfiniteData<P> | undefined) => number;
}

/** A list that the server sends page by page. */
export function usePagedQuery<P extends { nextCursor: string | null }>(options: PagedQueryOptions<P>) {
  const { queryKey, path, query, keepsPrevious, refetchInterval } = options;
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => request<P>(path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: ({ state }) =>
      refetchInterval?.(state.data) ?? (isStoreUnavailable(state.error) && LATE_REFRESH_MS),
  });
}
