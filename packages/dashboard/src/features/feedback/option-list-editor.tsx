import { useState } from 'react';
import { AddButton } from '../../ui/fields/add-button.tsx';
import { useRowKeys } from '../../ui/hooks/use-row-keys.ts';
import { moveItem } from '../../ui/lists/move-item.ts';
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
  const [message, setMessage] = useState('');
  const move = (from: number, to: number) => {
    onChange(moveItem(options, from, to));
    setMessage(`Answer ${from + 1} is now answer ${to + 1} of ${options.length}`);
  };
  return (
    <>
      <ol>
        {options.map((option, index) => (
          <OptionRow
            key={rows.keys[index]}
            option={option}
            index={index}
            count={options.length}
            error={errors(`/options/${index}`)}
            colorError={errors(`/options/${index}/color`)}
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
      <AddButton disabled={disabled} onClick={() => onChange([...options, ''])}>
        Add answer
      </AddButton>
      <div className="unseen" role="status">
        {message}
      </div>
    </>
  );
}
