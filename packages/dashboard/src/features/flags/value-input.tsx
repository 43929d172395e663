import { Input, Textarea } from '@mantine/core';
import type { FlagType, FlagValue } from '@switchyard/core/api/targeting';
import { useId } from 'react';
import { Choice } from '../../ui/choice.tsx';

interface ValueInputProps {
  label: string;
  type: FlagType;
  value: FlagValue;
  onChange: (value: FlagValue) => void;
  description?: string;
  error?: string | undefined;
  disabled?: boolean;
}

const BOOLEANS = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
] as const;

/** A value of a flag: true or false, or text, which is checked while typing if it looks like JSON. */
export function ValueInput({ type, value, onChange, label, description, error, disabled }: ValueInputProps) {
  const labelId = useId();
  const common = { label, description, error, disabled: disabled ?? false };
  if (type === 'boolean') {
    return (
      <Input.Wrapper {...common} labelElement="div" labelProps={{ id: labelId }}>
        <div>
          <Choice
            labelledBy={labelId}
            options={BOOLEANS}
            disabled={common.disabled}
            value={value === true ? 'true' : 'false'}
            onChange={(text) => onChange(text === 'true')}
          />
        </div>
      </Input.Wrapper>
    );
  }
  const text = String(value);
  const jsonError =
    /^\s*[[{]/.test(text) && !isJson(text) ? 'Looks like JSON, but is not valid JSON' : undefined;
  return (
    <Textarea
      {...common}
      error={error ?? jsonError}
      autosize
      minRows={1}
      maxRows={12}
      maxLength={8192}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
