import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

interface PlainNumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'defaultValue'> {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  /** Shown after the number, such as %. */
  unit?: string;
}

/** A number; undefined while nothing valid is entered. Much smaller than `NumberField`, without its formats. */
export function PlainNumberField({ value, onChange, unit, ...props }: PlainNumberFieldProps) {
  // "1." and "1.0" are the same number: what is typed must not be replaced.
  const [typed, setTyped] = useState({ value, text: textOf(value) });
  return (
    <TextInput
      step="any"
      {...props}
      type="number"
      rightSection={unit && <span className="dimmed">{unit}</span>}
      rightSectionPointerEvents="none"
      value={typed.value === value ? typed.text : textOf(value)}
      onChange={({ currentTarget: { value: text } }) => {
        const next = text === '' ? undefined : Number(text);
        setTyped({ value: next, text });
        onChange(next);
      }}
    />
  );
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));
