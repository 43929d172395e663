import { Button, Loader } from '@mantine/core';
import type { SessionsPage } from '@switchyard/core/api/sessions';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf, request } from '../../api.ts';
import { LoadError } from '../../ui/page-states.tsx';
import { useLoadMore } from '../../ui/use-load-more.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './session-list.module.css';
import { SessionRow } from './session-row.tsx';

interface SessionListProps {
  /** Filters, with the names of the API. */
  query: Record<string, string>;
  /** Shown instead of the list when there is nothing. */
  empty: ReactNode;
}

/** A list that loads more while it is scrolled. */
export function SessionList({ query, empty }: SessionListProps) {
  const { propertyId } = useProperty();
  const sessions = useInfiniteQuery({
    queryKey: ['sessions', propertyId, query],
    queryFn: ({ pageParam, signal }) =>
      request<SessionsPage>('/v1/sessions', {
        query: { propertyId, ...query, limit: 50, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = sessions;
  const canLoadMore = hasNextPage && !isFetchingNextPage && !error;
  const end = useLoadMore<HTMLDivElement>(canLoadMore ? () => void fetchNextPage() : undefined);
  const rows = data?.pages.flatMap((page) => page.sessions) ?? [];
  return (
    <div className={classes.wrapper} aria-busy={sessions.isFetching}>
      {rows.length > 0 && (
        <ul className={classes.list} aria-label="Sessions">
          {rows.map((session) => (
            <SessionRow key={session.sessionId} session={session} />
          ))}
        </ul>
      )}
      {data && rows.length === 0 && !hasNextPage && <div className={classes.empty}>{empty}</div>}
      {error && (
        <LoadError
          title={data ? 'Cannot load more sessions' : 'Cannot load the sessions'}
          message={messageOf(error)}
          onRetry={() => void (data ? fetchNextPage() : sessions.refetch())}
        />
      )}
      <div ref={end} className={classes.end} role="status">
        {(sessions.isPending || isFetchingNextPage) && !error && (
          <>
            <Loader size="xs" /> Loading sessions …
          </>
        )}
        {canLoadMore && (
          <Button size="xs" variant="default" onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </div>
  );
}
