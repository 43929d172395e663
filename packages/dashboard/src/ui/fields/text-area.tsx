import { InputBase, type InputBaseProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import classes from './text-area.module.css';

interface TextAreaProps
  extends Omit<InputBaseProps, 'size'>,
    Omit<ComponentProps<'textarea'>, keyof InputBaseProps | 'onChange'> {
  onChange: (text: string) => void;
  /** How many lines it has at least. */
  rows?: number;
  /** For code. */
  isCode?: boolean;
}

/** Several lines of text. It grows with the text where the browser can do that. */
export function TextArea({ onChange, rows = 1, isCode = false, ...props }: TextAreaProps) {
  return (
    <InputBase
      {...props}
      component="textarea"
      multiline
      rows={rows}
      classNames={{ input: isCode ? `${classes.area} ${classes.code}` : classes.area! }}
      styles={{ input: { minHeight: `calc(${rows}lh + 14px)` } }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
