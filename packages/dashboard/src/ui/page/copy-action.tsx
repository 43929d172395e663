import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { IconButton } from './icon-button.tsx';

/** A button that copies a text. */
export function CopyAction({ text, label }: { text: string; label: string }) {
  const [result, setResult] = useState('');
  useEffect(() => {
    if (result === '') return;
    const timer = setTimeout(() => setResult(''), 2000);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = async () => {
    try {
      // Without https, browsers have no clipboard.
      await navigator.clipboard.writeText(text);
      setResult('Copied');
    } catch {
      setResult('Your browser does not allow it: select the text instead');
    }
  };
  const words = result || label;
  return (
    <Tooltip label={words}>
      <IconButton
        icon={result === 'Copied' ? 'check' : 'copy'}
        onClick={() => void copy()}
        aria-label={words}
      />
    </Tooltip>
  );
}
