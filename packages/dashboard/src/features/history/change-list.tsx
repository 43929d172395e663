import { Button, Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import { messageOf } from '../../api.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatDate } from '../../ui/format.ts';
import { LoadError } from '../../ui/page-states.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useLoadMore } from '../../ui/use-load-more.ts';
import { useUrlState } from '../../ui/use-url-state.ts';
import { ChangeEntry } from './change-entry.tsx';
import classes from './change-list.module.css';
import { HistoryFilterBar } from './history-filter-bar.tsx';
import type { HistoryEntry } from './history-words.ts';
import { useHistory, useMemberNames } from './use-history.ts';

const NO_FILTERS = { entity: '', key: '', actor: '', from: '', to: '' } as const;

/** The history as a list by day that grows while it is scrolled. */
export function ChangeList() {
  const [filters, change] = useUrlState(NO_FILTERS);
  const query = useHistory(filters);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const canLoad = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  const end = useLoadMore<HTMLButtonElement>(canLoad ? () => void fetchNextPage() : undefined);
  const memberNames = useMemberNames();
  const pages = query.data?.pages;
  const entries = useMemo(() => pages?.flatMap(({ history }) => history), [pages]);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <Panel title="Changes">
      <HistoryFilterBar
        filters={filters}
        entries={entries ?? []}
        memberNames={memberNames}
        isFiltered={isFiltered}
        onChange={change}
        onClear={() => change(NO_FILTERS)}
      />
      {query.error && (
        <LoadError
          title="Cannot load the history"
          message={messageOf(query.error)}
          onRetry={() => void (isFetchNextPageError ? fetchNextPage() : query.refetch())}
        />
      )}
      {entries === undefined && !query.error && (
        <Skeleton height={240} role="status" aria-label="Loading the history" />
      )}
      {entries?.length === 0 && (
        <EmptyState title={isFiltered ? 'No changes match these filters' : 'No changes yet'}>
          {isFiltered
            ? 'Keys and names must match as a whole.'
            : 'Whatever is created, changed or deleted in this property appears here, with who did it and why.'}
        </EmptyState>
      )}
      <div aria-busy={query.isFetching}>
        {groupByDay(entries ?? []).map(([day, list]) => (
          <section key={day} aria-label={day}>
            <h3 className={classes.day}>{day}</h3>
            <ol className={classes.list}>
              {list.map((entry) => (
                <ChangeEntry key={entry.id} entry={entry} memberNames={memberNames} onFilter={change} />
              ))}
            </ol>
          </section>
        ))}
      </div>
      {hasNextPage && (
        <Button
          ref={end}
          variant="default"
          size="xs"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show earlier changes
        </Button>
      )}
    </Panel>
  );
}

function groupByDay(entries: readonly HistoryEntry[]): [string, HistoryEntry[]][] {
  const groups = new Map<string, HistoryEntry[]>();
  for (const entry of entries) {
    const day = formatDate(entry.at);
    groups.set(day, [...(groups.get(day) ?? []), entry]);
  }
  return [...groups];
}
