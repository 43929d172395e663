import { Button, Skeleton } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { FiguresError } from '../page/late-figures.tsx';
import classes from './paged-list.module.css';

interface PagedListProps<P, T> {
  query: UseInfiniteQueryResult<InfiniteData<P>>;
  /** What is listed, as in "Cannot load the feedback". */
  what: string;
  items: (page: P) => readonly T[];
  /** Text of the button at the end. */
  more: string;
  /** Shown instead of the list when there is nothing. */
  empty: ReactNode;
  /** How many pages are shown before scrolling loads the next ones; by default the button is always needed. */
  pagesBeforeScrolling?: number;
  /** In a panel without padding. */
  flush?: boolean;
  children: (items: readonly T[]) => ReactNode;
}

/** A list that grows page by page, with its states. What is known stays visible when more cannot be loaded. */
export function PagedList<P, T>(props: PagedListProps<P, T>) {
  const {
    query,
    what,
    items,
    more,
    empty,
    pagesBeforeScrolling = Number.POSITIVE_INFINITY,
    children,
  } = props;
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: always the same function of a page
  const all = useMemo(() => data?.pages.flatMap(items), [data]);
  const canScroll = (data?.pages.length ?? 0) >= pagesBeforeScrolling && !isFetchingNextPage && !error;
  const end = useLoadMore(canScroll, data, () => void fetchNextPage());
  const problem = error && (
    <FiguresError
      title={`Cannot load ${what}`}
      error={error}
      onRetry={() => void (isFetchNextPageError ? fetchNextPage() : query.refetch())}
    />
  );
  return (
    <div aria-busy={query.isFetching} className={props.flush ? classes.flush : undefined}>
      {!isFetchNextPageError && problem}
      {all === undefined && !error && <Skeleton height={160} role="status" aria-label={`Loading ${what}`} />}
      {/* A page can be empty and not the last. */}
      {all?.length === 0 && !hasNextPage && <div className={classes.note}>{empty}</div>}
      {all !== undefined && all.length > 0 && children(all)}
      {isFetchNextPageError && problem}
      {hasNextPage && (
        <div className={classes.note}>
          <Button
            ref={end}
            variant="default"
            size="xs"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {more}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Loads more when the button at the end is nearly visible; looks again after every page. */
function useLoadMore(isActive: boolean, data: unknown, loadMore: () => void) {
  const end = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function does not change what is done
  useEffect(() => {
    if (!isActive || end.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && loadMore(),
      { rootMargin: '400px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isActive, data]);
  return end;
}
