import { Button, Group, Stack } from '@mantine/core';
import { FilterSelect } from '../../../ui/fields/filter-select.tsx';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import { plural } from '../../../ui/format/format.ts';
import { usePagedQuery } from '../../../ui/hooks/use-paged-query.ts';
import { useUrlState } from '../../../ui/hooks/use-url-state.ts';
import { PagedList } from '../../../ui/lists/paged-list.tsx';
import { EmptyState } from '../../../ui/page/empty-state.tsx';
import { Panel } from '../../../ui/page/panel.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import type { ReportedTest } from '../reported-test.ts';
import { reportedTests } from '../reported-tests.ts';
import { FinishedTestEntry } from './finished-test-entry.tsx';
import classes from './library.module.css';
import { type LibraryPage, OUTCOMES } from './library-types.ts';
import { RecordPanel } from './record-panel.tsx';

const FILTER_DEFAULTS = { q: '', outcome: '', libraryTag: '' };
type Filters = { [Name in keyof typeof FILTER_DEFAULTS]: string };

/** Typing waits for a pause, because the server searches. */
const SEARCH_DELAY_MS = 300;
/** Large tests may take several requests to count. */
const PENDING_REFRESH_MS = 5_000;

/** All finished tests, and what they say about the next one. */
export function Library() {
  const { propertyId, configuration } = useProperty();
  const [filters, setFilters] = useUrlState(FILTER_DEFAULTS);
  const { q, outcome, libraryTag: tag } = filters;
  const finished = reportedTests(configuration).filter(isFinished);
  // What is said about a test changes with its decision.
  const versions = finished.map(({ key, version }) => [key, version]);
  const query = usePagedQuery<LibraryPage>({
    queryKey: ['library', propertyId, { q, outcome, tag }, versions],
    path: '/v1/split-testing/library',
    query: { propertyId, ...(q && { q }), ...(outcome && { outcome }), ...(tag && { tag }) },
    keepsPrevious: true,
    refetchInterval: (data) =>
      (data?.pages[0]?.record.pending ?? 0) > 0 ? PENDING_REFRESH_MS : Number.POSITIVE_INFINITY,
  });
  if (finished.length === 0) return <NothingFinished />;
  const first = query.data?.pages[0];
  return (
    <Stack gap="md">
      <RecordPanel record={first?.record} />
      <FilterBar
        filters={filters}
        onChange={setFilters}
        tags={[...new Set(finished.flatMap(({ tags }) => tags))].sort()}
      />
      <Panel
        title="Finished tests"
        hint={first ? `${plural(first.matching, 'test')}, latest first.` : ''}
        flush
      >
        <PagedList
          query={query}
          what="the library"
          items={({ tests }) => tests}
          more="Show older tests"
          flush
          empty={
            <div role="status">
              <p>No finished test matches.</p>
              <Button variant="default" size="xs" onClick={() => setFilters(FILTER_DEFAULTS)}>
                Clear filters
              </Button>
            </div>
          }
        >
          {(tests) => (
            <ul className={classes.list} aria-label="Finished tests">
              {tests.map((test) => (
                <FinishedTestEntry key={test.splitTestKey} test={test} />
              ))}
            </ul>
          )}
        </PagedList>
      </Panel>
    </Stack>
  );
}

/** A measured rule without goals was a rollout with guardrails: a release, and not a question. */
const isFinished = ({ status, phases, measuredRule, goals }: ReportedTest): boolean =>
  (status === 'stopped' || status === 'archived') &&
  phases.length > 0 &&
  (measuredRule === undefined || goals.length > 0);

const NothingFinished = () => (
  <EmptyState title="No test has finished yet">
    <p>
      When a test is stopped, or the measurement of a flag ends, it is kept here with its question, its
      decision and what it found, so that nobody has to ask twice.
    </p>
    <p>
      After a few tests, the library tells how often ideas win and how large effects usually are, and what to
      expect of the next one.
    </p>
  </EmptyState>
);

interface FilterBarProps {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
  tags: readonly string[];
}

const FilterBar = ({ filters, onChange, tags }: FilterBarProps) => (
  <Group gap="xs" role="search" aria-label="Filter finished tests">
    <SearchField
      aria-label="Search finished tests"
      w={220}
      value={filters.q}
      delayMs={SEARCH_DELAY_MS}
      onChange={(q) => onChange({ q })}
    />
    <FilterSelect
      aria-label="Outcome"
      placeholder="Outcome"
      w={150}
      data={OUTCOMES}
      value={filters.outcome}
      onChange={(outcome) => onChange({ outcome })}
    />
    {tags.length > 0 && (
      <FilterSelect
        aria-label="Tag"
        placeholder="Tag"
        w={150}
        data={[...tags]}
        searchable={tags.length > 8}
        value={filters.libraryTag}
        onChange={(libraryTag) => onChange({ libraryTag })}
      />
    )}
  </Group>
);
