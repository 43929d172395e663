import './mantine-form-styles.ts';
import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value: number | null;
  /** Null: the field is empty. */
  onChange: (value: number | null) => void;
}

/** A number that can be typed character by character: "0." on the way to "0.5" stays as it is. */
export function NumberField({ value, onChange, ...props }: NumberFieldProps) {
  const [text, setText] = useState<string | number>(value ?? '');
  const isOwn = (parse(text) ?? 0) === (value ?? 0);
  return (
    <NumberInput
      {...props}
      value={isOwn ? text : (value ?? '')}
      onChange={(next) => {
        setText(next);
        onChange(parse(next));
      }}
    />
  );
}

function parse(text: string | number): number | null {
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isNaN(value) ? null : value;
}
