import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  value: number | null;
  /** Null: the field is empty. */
  onChange: (value: number | null) => void;
  /** Shown in the field, such as "%". */
  unit?: string;
  isWhole?: boolean;
  canBeNegative?: boolean;
}

/** A number, usually of at least 0. It can be typed character by character: "0." on the way to "0.5" stays as it is. */
export function NumberField(props: NumberFieldProps) {
  const { value, onChange, unit, isWhole = false, canBeNegative = false, ...input } = props;
  const [text, setText] = useState(toText(value));
  const isOwn = (parse(text) ?? 0) === (value ?? 0);
  const change = (typed: string) => {
    const digits = isWhole
      ? typed.replaceAll(/\D/g, '')
      : typed.replaceAll(',', '.').replaceAll(/[^\d.]/g, '');
    const next = canBeNegative && /^\s*[-−]/.test(typed) ? `-${digits}` : digits;
    setText(next);
    onChange(parse(next));
  };
  return (
    <TextInput
      {...input}
      // The keyboards for numbers of some phones have no minus.
      inputMode={canBeNegative ? 'text' : isWhole ? 'numeric' : 'decimal'}
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
