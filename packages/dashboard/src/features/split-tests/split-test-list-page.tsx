import { Button, Skeleton, Stack, Tabs } from '@mantine/core';
import { Suspense } from 'react';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { lazyPart } from '../../ui/page/lazy-part.ts';
import { Page } from '../../ui/page/page.tsx';
import { NewItemButton } from '../changes/new-item-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { AutomaticStopsNotice } from './automatic-stops-notice.tsx';
import { NewSplitTestPage } from './editor/new-split-test-page.tsx';
import { HoldoutPanel } from './holdout/holdout-panel.tsx';
import { reportedTests } from './reported-tests.ts';
import { SplitTestFilterBar } from './split-test-filter-bar.tsx';
import { SplitTestTable } from './split-test-table.tsx';
import { SplitTestsEmpty } from './split-tests-empty.tsx';
import { type SplitTestFilters, useSplitTestList } from './use-split-test-list.ts';

const Library = lazyPart(() => import('./library/library.tsx').then((module) => module.Library));

const PAGE_DEFAULTS = { new: '', from: '' };
/** An empty tab is the list. */
const TAB_DEFAULTS = { tab: '' };
const FILTER_DEFAULTS = { search: '', status: '', tag: '', owner: '' };

/** `?new=1` is the page "New split test"; `from` names the test that is copied. */
export function SplitTestListPage() {
  const [state] = useUrlState(PAGE_DEFAULTS);
  if (state.new === '') return <SplitTestList />;
  return <NewSplitTestPage key={state.from} from={state.from} />;
}

function SplitTestList() {
  const { configuration } = useProperty();
  const navigate = usePropertyNavigate();
  const [{ tab }, setTab] = useUrlState(TAB_DEFAULTS);
  const create = (
    <NewItemButton onClick={() => navigate('split-tests', { new: '1' })}>New split test</NewItemButton>
  );
  const tests = reportedTests(configuration);
  if (tests.length === 0) {
    return (
      <Page title="Split tests">
        <SplitTestsEmpty action={create} />
      </Page>
    );
  }
  return (
    <Page title="Split tests" actions={create}>
      <Tabs
        value={tab || 'list'}
        onChange={(next) => setTab({ tab: next === 'list' ? '' : (next ?? '') })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="list">All tests</Tabs.Tab>
          <Tabs.Tab value="library">Library</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="list">
          <FilteredTests />
        </Tabs.Panel>
        <Tabs.Panel value="library">
          <Suspense fallback={<Skeleton height={320} role="status" aria-label="Loading" />}>
            <Library />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function FilteredTests() {
  const tests = reportedTests(useProperty().configuration);
  const [filters, setFilters] = useUrlState(FILTER_DEFAULTS);
  const listed = useSplitTestList(filters);
  return (
    <Stack gap="md">
      <AutomaticStopsNotice />
      <SplitTestFilterBar tests={tests} filters={filters} onChange={setFilters} />
      {listed.length > 0 ? (
        <SplitTestTable listed={listed} />
      ) : (
        <NothingFound filters={filters} onChange={setFilters} />
      )}
      <HoldoutPanel />
    </Stack>
  );
}

interface NothingFoundProps {
  filters: SplitTestFilters;
  onChange: (filters: SplitTestFilters) => void;
}

function NothingFound({ filters, onChange }: NothingFoundProps) {
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <div role="status">
      <p>{isFiltered ? 'No split test matches these filters.' : 'All split tests are archived.'}</p>
      <Button
        variant="default"
        size="xs"
        onClick={() => onChange({ ...FILTER_DEFAULTS, status: isFiltered ? '' : 'archived' })}
      >
        {isFiltered ? 'Clear filters' : 'Show the archive'}
      </Button>
    </div>
  );
}
