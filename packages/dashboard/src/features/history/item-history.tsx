import type { HistoryPage } from '@switchyard/core/api/management';
import type { Static } from 'typebox';
import { propertyPath } from '../../api.ts';
import { usePagedQuery } from '../../ui/hooks/use-paged-query.ts';
import { PagedList } from '../../ui/lists/paged-list.tsx';
import type { ItemType } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './item-history.module.css';
import { ItemHistoryEntry } from './item-history-entry.tsx';

const PAGE_SIZE = 20;

/** The changes of one item, newest first. Each earlier version can be restored. */
export function ItemHistory({ type, itemKey }: { type: ItemType; itemKey: string }) {
  const { propertyId } = useProperty();
  const query = usePagedQuery<Static<typeof HistoryPage>>({
    queryKey: ['history', propertyId, type, itemKey],
    path: propertyPath(propertyId, 'history'),
    query: { entity: type, key: itemKey, limit: PAGE_SIZE },
  });
  return (
    <PagedList
      query={query}
      what="the history"
      items={({ history }) => history}
      more="Show earlier changes"
      empty={<span className="dimmed">No changes are recorded.</span>}
    >
      {(entries) => (
        <ol className={classes.list}>
          {entries.map((entry, index) => (
            <ItemHistoryEntry key={entry.id} entry={entry} isNewest={index === 0} />
          ))}
        </ol>
      )}
    </PagedList>
  );
}
