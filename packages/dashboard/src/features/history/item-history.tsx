import { Button } from '@mantine/core';
import type { HistoryPage } from '@switchyard/core/api/management';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { messageOf, propertyPath, request } from '../../api.ts';
import { LoadError, PageSkeleton } from '../../ui/page-states.tsx';
import type { ItemType } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './item-history.module.css';
import { ItemHistoryEntry } from './item-history-entry.tsx';

const PAGE_SIZE = 20;

/** The changes of one item, newest first. Each earlier version can be restored. */
export function ItemHistory({ type, itemKey }: { type: ItemType; itemKey: string }) {
  const { propertyId } = useProperty();
  const query = useInfiniteQuery({
    queryKey: ['history', propertyId, type, itemKey],
    queryFn: ({ pageParam, signal }) =>
      request<Static<typeof HistoryPage>>(propertyPath(propertyId, 'history'), {
        query: { entity: type, key: itemKey, limit: PAGE_SIZE, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const entries = query.data?.pages.flatMap(({ history }) => history);
  const problem = query.error && (
    <LoadError
      title="Cannot load the history"
      message={messageOf(query.error)}
      onRetry={() => void query.refetch()}
    />
  );
  if (entries === undefined) return problem ?? <PageSkeleton />;
  return (
    <>
      {problem}
      <ol className={classes.list}>
        {entries.map((entry, index) => (
          <ItemHistoryEntry key={entry.id} entry={entry} isNewest={index === 0} />
        ))}
      </ol>
      {entries.length === 0 && <p className="dimmed">No changes are recorded.</p>}
      {query.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show earlier changes
        </Button>
      )}
    </>
  );
}
