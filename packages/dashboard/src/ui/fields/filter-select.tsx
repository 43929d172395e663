import { Select, type SelectProps } from '@mantine/core';

interface FilterSelectProps extends Omit<SelectProps, 'value' | 'onChange'> {
  /** Empty: any. */
  value: string;
  onChange: (value: string) => void;
}

/** Chooses the value of a filter, as it is in the URL. */
export const FilterSelect = ({ value, onChange, ...props }: FilterSelectProps) => (
  <Select clearable value={value || null} onChange={(chosen) => onChange(chosen ?? '')} {...props} />
);
