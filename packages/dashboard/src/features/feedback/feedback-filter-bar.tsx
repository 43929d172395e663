import { Button, Group } from '@mantine/core';
import { Check } from '../../ui/fields/check.tsx';
import { FilterSelect } from '../../ui/fields/filter-select.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { findReported } from '../split-tests/reported-tests.ts';
import { testOptions } from '../split-tests/test-options.ts';
import { type ChangeFilters, FEEDBACK_FILTERS, type FeedbackFilters } from './feedback-filters.ts';
import { optionValue, presentationOf } from './feedback-options.ts';
import { FlagFilter } from './flag-filter.tsx';

interface FeedbackFilterBarProps {
  filters: FeedbackFilters;
  isFiltered: boolean;
  onChange: ChangeFilters;
}

export function FeedbackFilterBar({ filters, isFiltered, onChange }: FeedbackFilterBarProps) {
  const { configuration } = useProperty();
  const { feedbackTypes } = configuration;
  const tests = testOptions(configuration);
  const type = feedbackTypes.find(({ id }) => id === filters.feedbackTypeId);
  const test = findReported(configuration, filters.splitTestKey);
  const select = (
    name: keyof FeedbackFilters,
    label: string,
    data: { value: string; label: string }[],
    also: Partial<FeedbackFilters> = {},
  ) => (
    <FilterSelect
      aria-label={label}
      placeholder={label}
      data={data}
      value={filters[name]}
      onChange={(value) => onChange({ ...also, [name]: value })}
      searchable={data.length > 8}
      w={160}
    />
  );
  return (
    <Group gap="xs" role="search" aria-label="Filter feedback">
      <SearchField
        aria-label="Search messages"
        placeholder="Search messages"
        w={200}
        delayMs={300}
        value={filters.search}
        onChange={(search) => onChange({ search })}
      />
      {select(
        'feedbackTypeId',
        'Type',
        feedbackTypes.map(({ id, name }) => ({ value: id, label: name })),
        {
          option: '',
        },
      )}
      {type &&
        type.options.length > 0 &&
        select(
          'option',
          'Answer',
          type.options.map(optionValue).map((value) => ({ value, label: presentationOf(type, value).label })),
        )}
      {tests.length > 0 &&
        select('splitTestKey', 'Split test', tests, {
          variationKey: '',
        })}
      {test &&
        select(
          'variationKey',
          'Variation',
          test.variations.map(({ key }) => ({ value: key, label: key })),
        )}
      <FlagFilter filters={filters} onChange={onChange} />
      <Check
        label="With text"
        checked={filters.hasMessage === 'true'}
        onChange={(checked) => onChange({ hasMessage: checked ? 'true' : '' })}
      />
      {isFiltered && (
        <Button size="xs" variant="default" onClick={() => onChange({ ...FEEDBACK_FILTERS })}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
