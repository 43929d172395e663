import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Icon } from '../../ui/icon.tsx';

const DELAY_MS = 300;

interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** Words to search for on the server: applied when typing pauses. */
export function SearchField({ value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [applied, setApplied] = useState(value);
  if (value !== applied) {
    // Changed elsewhere, such as by a button that clears all filters.
    setApplied(value);
    setText(value);
  }
  useEffect(() => {
    if (text === applied) return;
    const timer = setTimeout(() => {
      setApplied(text);
      onChange(text);
    }, DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, applied, onChange]);
  return (
    <TextInput
      aria-label="Search messages"
      placeholder="Search messages"
      leftSection={<Icon name="search" />}
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      w={200}
    />
  );
}
