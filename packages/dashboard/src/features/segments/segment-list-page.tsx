import { SearchField } from '../../ui/fields/search-field.tsx';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { NewItemButton } from '../changes/new-item-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { NewSegmentPage } from './new-segment-page.tsx';
import { SegmentTable } from './segment-table.tsx';

const FILTERS = { search: '', new: '' } as const;

/** All segments of the property; `?new=1` is the form for a new one. */
export function SegmentListPage() {
  const [{ search, new: isNew }, change] = useUrlState(FILTERS);
  const { configuration } = useProperty();
  if (isNew !== '') {
    return <NewSegmentPage />;
  }
  const { segments } = configuration;
  const words = search.toLowerCase();
  const shown = segments.filter(({ id, name = '' }) => `${id} ${name}`.toLowerCase().includes(words));
  const newSegment = <NewItemButton onClick={() => change({ new: '1' })}>New segment</NewItemButton>;
  return (
    <Page title="Segments" actions={newSegment}>
      {segments.length === 0 ? (
        <EmptyState title="No segments yet">
          A segment is a group of visitors with a name, such as “Staff” or “Customers in Europe”. Define it
          once by its conditions, then use it in the rules of flags and the audiences of split tests: when the
          segment changes, all of them follow. Create one with “New segment”, then add it to a rule with “Add
          segment”.
        </EmptyState>
      ) : (
        <Panel
          title="All segments"
          flush
          actions={
            <SearchField
              size="xs"
              aria-label="Search segments"
              value={search}
              onChange={(text) => change({ search: text })}
            />
          }
        >
          {shown.length > 0 ? (
            <SegmentTable segments={shown} />
          ) : (
            <EmptyState title="No segment matches">Try other words.</EmptyState>
          )}
        </Panel>
      )}
    </Page>
  );
}
