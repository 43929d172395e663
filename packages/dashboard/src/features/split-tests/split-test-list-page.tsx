import { Button } from '@mantine/core';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { Page } from '../../ui/page/page.tsx';
import { NewItemButton } from '../changes/new-item-button.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { NewSplitTestPage } from './editor/new-split-test-page.tsx';
import { HoldoutPanel } from './holdout/holdout-panel.tsx';
import { reportedTests } from './reported-tests.ts';
import { SplitTestFilterBar } from './split-test-filter-bar.tsx';
import { SplitTestTable } from './split-test-table.tsx';
import { SplitTestsEmpty } from './split-tests-empty.tsx';
import { type SplitTestFilters, useSplitTestList } from './use-split-test-list.ts';

const PAGE_DEFAULTS = { new: '', from: '' };
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
  const [filters, setFilters] = useUrlState(FILTER_DEFAULTS);
  const listed = useSplitTestList(filters);
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
      <SplitTestFilterBar tests={tests} filters={filters} onChange={setFilters} />
      {listed.length > 0 ? (
        <SplitTestTable listed={listed} />
      ) : (
        <NothingFound filters={filters} onChange={setFilters} />
      )}
      <HoldoutPanel />
    </Page>
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
