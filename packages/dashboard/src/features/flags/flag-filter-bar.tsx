import { Group, Select } from '@mantine/core';
import { useMemo } from 'react';
import { FilterSelect } from '../../ui/fields/filter-select.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import type { FlagFilters } from './flag-filters.ts';

interface FlagFilterBarProps {
  filters: FlagFilters;
  onChange: (changes: Partial<FlagFilters>) => void;
}

/** Search and filters of the list. */
export function FlagFilterBar({ filters, onChange }: FlagFilterBarProps) {
  const { flags, environments } = useProperty().configuration;
  const tags = useMemo(() => [...new Set(flags.flatMap((flag) => flag.tags))].sort(), [flags]);
  const states = environments.flatMap(({ id, name }) => [
    { value: `on:${id}`, label: `On in ${name}` },
    { value: `off:${id}`, label: `Off in ${name}` },
  ]);
  return (
    <Group gap="xs">
      <SearchField
        aria-label="Search flags"
        placeholder="Search by name, key, tag, owner"
        flex="1 1 220px"
        value={filters.search}
        onChange={(search) => onChange({ search })}
      />
      {tags.length > 0 && (
        <FilterSelect
          aria-label="Tag"
          placeholder="Any tag"
          data={tags}
          searchable
          w={140}
          value={filters.tag}
          onChange={(tag) => onChange({ tag })}
        />
      )}
      <FilterSelect
        aria-label="State"
        placeholder="Any state"
        data={states}
        w={170}
        value={filters.state}
        onChange={(state) => onChange({ state })}
      />
      <FilterSelect
        aria-label="Use"
        placeholder="Used or stale"
        data={[
          { value: 'yes', label: 'Stale' },
          { value: 'no', label: 'Not stale' },
        ]}
        w={140}
        value={filters.stale}
        onChange={(stale) => onChange({ stale })}
      />
      <Select
        aria-label="Sort by"
        data={[
          { value: 'name', label: 'By name' },
          { value: 'newest', label: 'Newest first' },
        ]}
        allowDeselect={false}
        w={130}
        value={filters.sort}
        onChange={(sort) => onChange({ sort: sort ?? undefined })}
      />
    </Group>
  );
}
