import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FilterSelect } from '../../ui/fields/filter-select.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { useFieldText } from '../../ui/hooks/use-field-text.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { findReported } from '../split-tests/reported-tests.ts';
import { testOptions } from '../split-tests/test-options.ts';
import classes from './session-filter-bar.module.css';
import type { SessionFilters } from './use-session-filters.ts';

interface SessionFilterBarProps {
  filters: SessionFilters;
  onChange: (changes: Partial<SessionFilters>) => void;
  onClear?: () => void;
}

const YES_NO = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];
const BOTS = [
  { value: 'exclude', label: 'People' },
  { value: 'only', label: 'Bots' },
  { value: 'include', label: 'Both' },
];

export function SessionFilterBar({ filters, onChange, onClear }: SessionFilterBarProps) {
  const { configuration } = useProperty();
  const { goals } = configuration;
  const test = findReported(configuration, filters.splitTestKey);
  const select = (name: keyof SessionFilters, label: string, data: Options) => (
    <FilterSelect
      size="xs"
      label={label}
      data={withChosen(data, filters[name])}
      clearable={name !== 'bots'}
      searchable={data.length > 8}
      value={filters[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  const text = (name: keyof SessionFilters, label: string, placeholder: string) => (
    <TextFilter
      label={label}
      placeholder={placeholder}
      value={filters[name]}
      onApply={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <section aria-label="Filters" className={classes.bar}>
      <OpenById />
      {select('bots', 'Who', BOTS)}
      {text('page', 'Page', '/pricing')}
      {text('country', 'Country', 'DE')}
      {select('device', 'Device', ['desktop', 'mobile', 'tablet'])}
      {text('browser', 'Browser', 'Firefox')}
      {text('os', 'System', 'Linux')}
      <FilterSelect
        size="xs"
        label="Split test"
        data={testOptions(configuration)}
        searchable
        value={filters.splitTestKey}
        onChange={(value) =>
          onChange({
            splitTestKey: value,
            variationKey: '',
            phase: '',
            multipleVariations: '',
            converted: '',
          })
        }
      />
      {test &&
        select(
          'variationKey',
          'Variation',
          test.variations.map(({ key }) => key),
        )}
      {test && select('multipleVariations', 'Saw several variations', YES_NO)}
      {select(
        'goalId',
        'Goal',
        goals.map(({ id, name }) => ({ value: id, label: name })),
      )}
      {test && filters.goalId !== '' && select('converted', 'Converted', YES_NO)}
      {select('hasFeedback', 'Feedback', YES_NO)}
      {onClear && (
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </section>
  );
}

type Options = (string | { value: string; label: string })[];

/** A link may name a value that is not in the list, such as `(none)`. */
const withChosen = (data: Options, chosen: string): Options =>
  chosen === '' || data.some((each) => (typeof each === 'string' ? each : each.value) === chosen)
    ? data
    : [...data, chosen];

interface TextFilterProps {
  label: string;
  placeholder: string;
  value: string;
  onApply: (value: string) => void;
}

/** Applies when the field is left or with Enter, not with every letter. */
function TextFilter({ label, placeholder, value, onApply }: TextFilterProps) {
  const { ref, text, setText } = useFieldText(value);
  const apply = () => text.trim() !== value && onApply(text.trim());
  return (
    <TextInput
      ref={ref}
      size="xs"
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}

/** Support has an id from a ticket and wants to see what happened. */
function OpenById() {
  const navigate = usePropertyNavigate();
  const [id, setId] = useState('');
  const [kind, setKind] = useState('visitor');
  const submit = () => {
    const text = id.trim();
    if (text === '') return;
    if (kind === 'user') navigate('sessions', { userId: text, period: '12m' });
    else navigate(`${kind}s/${encodeURIComponent(text)}`);
  };
  return (
    <Form onSubmit={submit} className={classes.open}>
      <Select
        size="xs"
        label="Open by id"
        allowDeselect={false}
        data={[
          { value: 'visitor', label: 'Visitor' },
          { value: 'session', label: 'Session' },
          { value: 'user', label: 'User' },
        ]}
        value={kind}
        onChange={(value) => setKind(value!)}
      />
      <TextInput
        size="xs"
        aria-label={`Id of the ${kind}`}
        placeholder="id"
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <Button size="xs" variant="default" type="submit">
        Open
      </Button>
    </Form>
  );
}
