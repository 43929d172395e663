import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  value: number | null;
  /** Null: the field is empty. */
  onChange: (value: number | null) => void;
  /** Shown in the field, such as "%". */
  unit?: string;
  isWhole?: boolean;
}

/** A number of at least 0. It can be typed character by character: "0." on the way to "0.5" stays as it is. */
export function NumberField({ value, onChange, unit, isWhole = false, ...props }: NumberFieldProps) {
  const [text, setText] = useState(toText(value));
  const isOwn = (parse(text) ?? 0) === (value ?? 0);
  const change = (typed: string) => {
    const next = isWhole ? typed.replaceAll(/\D/g, '') : typed.replaceAll(',', '.').replaceAll(/[^\d.]/g, '');
    setText(next);
    onChange(parse(next));
  };
  return (
    <TextInput
      {...props}
      inputMode={isWhole ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={isOwn ? text : toText(value)}
      onChange={(event) => change(event.currentTarget.value)}
      {...(unit && {
        rightSection: <span aria-hidden="true">{unit}</span>,
        rightSectionWidth: 16 + unit.length * 9,
        rightSectionPointerEvents: 'none',
      })}
    />
  );
}

const toText = (value: number | null) => (value === null ? '' : String(value));

function parse(text: string): number | null {
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isNaN(value) ? null : value;
}
