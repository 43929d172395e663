import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useFieldText } from '../hooks/use-field-text.ts';
import { Icon } from '../page/icon.tsx';

interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  onChange: (value: string) => void;
  /** Waits for a pause in typing; for what the server searches. */
  delayMs?: number;
}

/** Words to search for. */
export function SearchField({ value, onChange, delayMs = 0, ...props }: SearchFieldProps) {
  const { ref, text, setText } = useFieldText(value);
  const apply = useDebouncedCallback(onChange, delayMs);
  return (
    <TextInput
      type="search"
      placeholder="Search"
      leftSection={<Icon name="search" size={14} />}
      maxLength={200}
      {...props}
      ref={ref}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.trim());
      }}
      onBlur={() => apply.flush()}
    />
  );
}
