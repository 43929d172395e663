import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { displayZone } from '../format/display-zone.ts';

interface DateTimeFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'defaultValue'> {
  /** Unix milliseconds; undefined while nothing valid is entered. */
  value: number | undefined;
  onChange: (at: number | undefined) => void;
}

/** A date and time in the zone in which times are shown. */
export function DateTimeField({ value, onChange, ...props }: DateTimeFieldProps) {
  // A date that is only typed in part is empty for the browser; it must not be cleared while typing.
  const [text, setText] = useState({ value, text: localText(value) });
  const shown = text.value === value ? text.text : localText(value);
  return (
    <TextInput
      {...props}
      type="datetime-local"
      value={shown}
      onChange={(event) => {
        const next = event.currentTarget.value;
        const local = Date.parse(`${next}Z`);
        const at = Number.isNaN(local) ? undefined : displayZone().instant(local);
        setText({ value: at, text: next });
        onChange(at);
      }}
    />
  );
}

/** Like `2026-01-31T12:00`. */
function localText(at: number | undefined): string {
  if (at === undefined || Number.isNaN(at)) return '';
  const local = new Date(displayZone().local(at));
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 16);
}
