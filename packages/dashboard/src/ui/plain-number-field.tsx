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
  // What is typed must not be replaced: "1.0" is the number 1, and "" or "-" may be on the way to a number.
  const [typed, setTyped] = useState({ text: textOf(value), number: value, before: value });
  const isOwn = typed.number === value || (typed.number === undefined && typed.before === value);
  return (
    <TextInput
      step="any"
      {...props}
      type="number"
      rightSection={unit && <span className="dimmed">{unit}</span>}
      rightSectionPointerEvents="none"
      value={isOwn ? typed.text : textOf(value)}
      onChange={({ currentTarget: { value: text } }) => {
        const number = text === '' ? undefined : Number(text);
        setTyped({ text, number, before: value });
        onChange(number);
      }}
    />
  );
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));
