import { Group } from '@mantine/core';
import { FilterSelect } from '../../ui/fields/filter-select.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import type { ReportedTest } from './reported-test.ts';
import type { SplitTestFilters } from './use-split-test-list.ts';

interface SplitTestFilterBarProps {
  tests: readonly ReportedTest[];
  filters: SplitTestFilters;
  onChange: (changes: Partial<SplitTestFilters>) => void;
}

const STATUSES = [
  { value: 'decide', label: 'Needs decision' },
  { value: 'running', label: 'Running' },
  { value: 'paused', label: 'Paused' },
  { value: 'draft', label: 'Draft' },
  { value: 'stopped', label: 'Stopped' },
  { value: 'archived', label: 'Archived' },
];

export function SplitTestFilterBar({ tests, filters, onChange }: SplitTestFilterBarProps) {
  const tags = [...new Set(tests.flatMap((test) => test.tags))].sort();
  const owners = [...new Set(tests.flatMap(({ owner }) => owner ?? []))].sort();
  const select = (name: 'status' | 'tag' | 'owner', label: string, data: typeof STATUSES | string[]) => (
    <FilterSelect
      aria-label={label}
      placeholder={label}
      data={data}
      value={filters[name]}
      onChange={(value) => onChange({ [name]: value })}
      searchable={data.length > 8}
      w={150}
    />
  );
  return (
    <Group gap="xs" role="search" aria-label="Filter split tests">
      <SearchField
        aria-label="Search split tests"
        w={220}
        value={filters.search}
        onChange={(search) => onChange({ search })}
      />
      {select('status', 'Status', STATUSES)}
      {tags.length > 0 && select('tag', 'Tag', tags)}
      {owners.length > 0 && select('owner', 'Owner', owners)}
    </Group>
  );
}
