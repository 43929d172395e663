import { useMemo } from 'react';
import { formatDate } from '../../ui/format/format.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { PagedList } from '../../ui/lists/paged-list.tsx';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Panel } from '../../ui/page/panel.tsx';
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
      <PagedList
        query={query}
        what="the history"
        items={({ history }) => history}
        more="Show earlier changes"
        empty={
          <EmptyState title={isFiltered ? 'No changes match these filters' : 'No changes yet'}>
            {isFiltered
              ? 'Keys and names must match as a whole.'
              : 'Whatever is created, changed or deleted in this property appears here, with who did it and why.'}
          </EmptyState>
        }
        pagesBeforeScrolling={1}
      >
        {(list) =>
          groupByDay(list).map(([day, changes]) => (
            <section key={day} aria-label={day}>
              <h3 className={classes.day}>{day}</h3>
              <ol>
                {changes.map((entry) => (
                  <ChangeEntry key={entry.id} entry={entry} memberNames={memberNames} onFilter={change} />
                ))}
              </ol>
            </section>
          ))
        }
      </PagedList>
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
