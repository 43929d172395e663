import { Group, Select } from '@mantine/core';
import { useMemo } from 'react';
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
        <Select
          aria-label="Tag"
          placeholder="Any tag"
          data={tags}
          clearable
          searchable
          w={140}
          value={filters.tag || null}
          onChange={(tag) => onChange({ tag: tag ?? '' })}
        />
      )}
      <Select
        aria-label="State"
        placeholder="Any state"
        data={states}
        clearable
        w={170}
        value={filters.state || null}
        onChange={(state) => onChange({ state: state ?? '' })}
      />
      <Select
        aria-label="Use"
        placeholder="Used or stale"
        data={[
          { value: 'yes', label: 'Stale' },
          { value: 'no', label: 'Not stale' },
        ]}
        clearable
        w={140}
        value={filters.stale || null}
        onChange={(stale) => onChange({ stale: stale ?? '' })}
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
