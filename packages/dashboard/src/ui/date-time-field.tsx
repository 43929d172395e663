import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

interface DateTimeFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'defaultValue'> {
  /** Unix milliseconds; undefined while nothing valid is entered. */
  value: number | undefined;
  onChange: (at: number | undefined) => void;
}

/** A date and time in the zone of the browser. */
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
        const time = new Date(next).getTime();
        const at = Number.isNaN(time) ? undefined : time;
        setText({ value: at, text: next });
        onChange(at);
      }}
    />
  );
}

/** `2026-01-31T12:00` in local time. */
function localText(at: number | undefined): string {
  if (at === undefined || Number.isNaN(at)) return '';
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 16);
}
