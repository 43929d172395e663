import '../../ui/style/mantine-form-styles.ts';
import { Select } from '@mantine/core';
import { useProperty } from '../configuration/property-context.tsx';

interface GoalSelectProps {
  label?: string;
  'aria-label'?: string;
  description?: string;
  /** Only goals with amounts. */
  hasAmounts?: boolean;
  /** What no goal means; without it, one is needed. */
  placeholder?: string;
  value: string | null | undefined;
  error: string | undefined;
  disabled: boolean;
  onChange: (goalId: string | null) => void;
}

/** One of the goals of the property. */
export function GoalSelect({ hasAmounts = false, value, placeholder, onChange, ...props }: GoalSelectProps) {
  const { goals } = useProperty().configuration;
  const possible = goals.filter(({ kind, id }) => !hasAmounts || kind === 'revenue' || id === value);
  return (
    <Select
      {...props}
      data={possible.map(({ id, name }) => ({ value: id, label: name || id }))}
      placeholder={placeholder ?? 'Choose a goal'}
      nothingFoundMessage={hasAmounts ? 'No goal of the kind “Revenue”' : 'No goals yet'}
      value={value || null}
      onChange={onChange}
      clearable={placeholder !== undefined}
      searchable
    />
  );
}
