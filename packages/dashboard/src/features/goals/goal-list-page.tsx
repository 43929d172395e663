import { PeriodPicker } from '../../ui/fields/period-picker.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { NewItemButton } from '../changes/new-item-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { GoalSnippets } from './goal-snippets.tsx';
import { GoalTable } from './goal-table.tsx';
import { NewGoalPage } from './new-goal-page.tsx';

const FILTERS = { search: '', new: '' } as const;

/** All goals of the property; `?new=1` is the form for a new one. */
export function GoalListPage() {
  const [{ search, new: isNew }, change] = useUrlState(FILTERS);
  const { configuration } = useProperty();
  if (isNew !== '') {
    return <NewGoalPage />;
  }
  const { goals } = configuration;
  const words = search.toLowerCase();
  const shown = goals.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(words));
  return (
    <Page
      title="Goals"
      actions={
        <>
          {goals.length > 0 && <PeriodPicker />}
          <NewItemButton onClick={() => change({ new: '1' })}>New goal</NewItemButton>
        </>
      }
    >
      {goals.length === 0 ? (
        <EmptyState
          title="No goals yet"
          snippet={<GoalSnippets goal={{ id: 'purchase', kind: 'revenue' }} />}
        >
          A goal is what you want visitors to do: buy, sign up, ask less often for help. Split tests are
          decided by goals. Create one with “New goal”, then report each conversion from your server, for
          example for a goal with the id “purchase”:
        </EmptyState>
      ) : (
        <Panel
          title="All goals"
          flush
          actions={
            <SearchField
              size="xs"
              aria-label="Search goals"
              value={search}
              onChange={(text) => change({ search: text })}
            />
          }
        >
          {shown.length > 0 ? (
            <GoalTable goals={shown} />
          ) : (
            <EmptyState title="No goal matches">Try other words.</EmptyState>
          )}
        </Panel>
      )}
    </Page>
  );
}
