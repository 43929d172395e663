import { Select } from '@mantine/core';
import { FilterSelect } from '../../ui/fields/filter-select.tsx';
import type { Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { ChangeFilters, FeedbackFilters } from './feedback-filters.ts';
import { flagValues } from './flag-values.ts';

interface FlagFilterProps {
  filters: FeedbackFilters;
  onChange: ChangeFilters;
}

const DEFAULT_ENVIRONMENT = 'production';
const NONE = { flagKey: '', flagValue: '', environment: '' };

/** A flag, the value that it had and, where there are several, the environment. */
export function FlagFilter({ filters, onChange }: FlagFilterProps) {
  const { flags, environments } = useProperty().configuration;
  const flag = flags.find(({ key }) => key === filters.flagKey);
  if (flags.length === 0) return null;
  const choose = (key: string | null) => {
    const chosen = flags.find((each) => each.key === key);
    const [flagValue = ''] = chosen ? flagValues(chosen) : [];
    onChange(chosen ? { ...NONE, flagKey: chosen.key, flagValue } : NONE);
  };
  return (
    <>
      <Select
        aria-label="Flag"
        placeholder="Flag"
        data={flags.map(({ key, name }) => ({ value: key, label: name || key }))}
        value={flag?.key ?? null}
        onChange={choose}
        clearable
        searchable={flags.length > 8}
        limit={100}
        w={160}
      />
      {flag && (
        <FilterSelect
          aria-label="Flag value"
          data={withChosen(flag, filters.flagValue)}
          clearable={false}
          value={filters.flagValue}
          onChange={(flagValue) => onChange({ flagValue })}
          allowDeselect={false}
          w={130}
        />
      )}
      {flag && environments.length > 1 && (
        <Select
          aria-label="Environment of the flag"
          data={environments.map(({ id, name }) => ({ value: id, label: name }))}
          value={filters.environment || DEFAULT_ENVIRONMENT}
          onChange={(id) => onChange({ environment: id === DEFAULT_ENVIRONMENT ? '' : (id ?? '') })}
          allowDeselect={false}
          w={130}
        />
      )}
    </>
  );
}

/** A link may name a value that the flag does not have any more. */
const withChosen = (flag: Flag, value: string) => [
  ...new Set([...flagValues(flag), ...(value === '' ? [] : [value])]),
];
