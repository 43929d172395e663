import { Button, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { FilterSelect } from '../../ui/fields/filter-select.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { useMe } from '../accounts/use-me.ts';
import classes from './change-list.module.css';
import { ENTITY_NOUNS, type HistoryEntry } from './history-words.ts';
import type { HistoryFilters } from './use-history.ts';

interface HistoryFilterBarProps {
  filters: HistoryFilters;
  /** What is loaded: whoever made a change can be chosen. */
  entries: readonly HistoryEntry[];
  memberNames: ReadonlyMap<string, string>;
  isFiltered: boolean;
  onChange: (changes: Partial<HistoryFilters>) => void;
  onClear: () => void;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const TYPES = Object.entries(ENTITY_NOUNS).map(([value, noun]) => ({ value, label: capitalized(noun) }));

export function HistoryFilterBar(props: HistoryFilterBarProps) {
  const { filters, entries, memberNames, isFiltered, onChange, onClear } = props;
  const { account } = useMe();
  const actors = useMemo(() => {
    const seen = entries.map(({ actor }) => actor.name);
    return [...new Set([account.name, ...memberNames.values(), ...seen, filters.actor])]
      .filter((name) => name !== '')
      .sort((a, b) => a.localeCompare(b));
  }, [entries, memberNames, account.name, filters.actor]);
  return (
    <search className={classes.filters} aria-label="Filters">
      <FilterSelect
        label="What"
        placeholder="Everything"
        data={TYPES}
        value={filters.entity}
        onChange={(entity) => onChange({ entity })}
      />
      <SearchField
        label="Key"
        placeholder="Any"
        leftSection={null}
        delayMs={300}
        value={filters.key}
        onChange={(key) => onChange({ key })}
      />
      <FilterSelect
        label="Who"
        placeholder="Everybody"
        data={actors}
        searchable
        value={filters.actor}
        onChange={(actor) => onChange({ actor })}
      />
      <TextInput
        label="First day"
        type="date"
        max={filters.to}
        value={filters.from}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        label="Last day"
        type="date"
        min={filters.from}
        value={filters.to}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
      {isFiltered && (
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}
