import { Select, type SelectProps } from '@mantine/core';

/** Browsers list these by an older name, or not at all. */
const UNLISTED = [
  'UTC',
  'America/Argentina/Buenos_Aires',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Europe/Kyiv',
];
const names = [...new Set([...UNLISTED, ...Intl.supportedValuesOf('timeZone')])].sort();

interface TimeZoneFieldProps extends Pick<SelectProps, 'classNames' | 'error'> {
  value: string;
  onChange: (name: string) => void;
}

/** A time zone, found by a part of its name. */
export function TimeZoneField({ value, onChange, ...props }: TimeZoneFieldProps) {
  return (
    <Select
      {...props}
      label="Time zone"
      description="For days, weeks and months in reports and targets, and for the times that are shown"
      searchable
      allowDeselect={false}
      data={names.includes(value) ? names : [value, ...names]}
      value={value}
      onChange={(name) => onChange(name!)}
    />
  );
}
