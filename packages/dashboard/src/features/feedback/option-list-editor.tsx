import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { useRowKeys } from '../../ui/use-row-keys.ts';
import type { Option } from './feedback-options.ts';
import { OptionRow } from './option-row.tsx';

interface OptionListEditorProps {
  options: readonly Option[];
  onChange: (options: Option[]) => void;
  errors: (pointer: string) => string | undefined;
  disabled: boolean;
}

/** The options of a feedback type in their order. */
export function OptionListEditor({ options, onChange, errors, disabled }: OptionListEditorProps) {
  const rows = useRowKeys(options.length);
  const list = useRef<HTMLOListElement>(null);
  const [message, setMessage] = useState('');
  const [moved, setMoved] = useState<{ to: number; direction: 'up' | 'down' }>();
  // The focus moves with the option, so that pressing again moves it further.
  useEffect(() => {
    if (moved === undefined) return;
    const buttons =
      list.current?.children[moved.to]?.querySelectorAll<HTMLButtonElement>('[data-move]') ?? [];
    const usable = [...buttons].filter((button) => !button.disabled);
    (usable.find((button) => button.getAttribute('data-move') === moved.direction) ?? usable[0])?.focus();
    setMoved(undefined);
  }, [moved]);
  const move = (from: number, to: number) => {
    onChange(options.with(from, options[to]!).with(to, options[from]!));
    setMessage(`Answer ${from + 1} is now answer ${to + 1} of ${options.length}`);
    setMoved({ to, direction: to < from ? 'up' : 'down' });
  };
  return (
    <>
      <ol ref={list}>
        {options.map((option, index) => (
          <OptionRow
            key={rows.keys[index]}
            option={option}
            index={index}
            count={options.length}
            error={errors(`/options/${index}`)}
            colourError={errors(`/options/${index}/colour`)}
            disabled={disabled}
            onChange={(next) => onChange(options.with(index, next))}
            onMove={(to) => move(index, to)}
            onRemove={() => {
              rows.remove(index);
              onChange(options.filter((_, each) => each !== index));
              setMessage(`Answer ${index + 1} removed`);
            }}
          />
        ))}
      </ol>
      {errors('/options') !== undefined && !options.some((_, index) => errors(`/options/${index}`)) && (
        <p className="bad" role="alert">
          {errors('/options')}
        </p>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        disabled={disabled}
        onClick={() => onChange([...options, ''])}
      >
        Add answer
      </Button>
      <div className="unseen" role="status">
        {message}
      </div>
    </>
  );
}
