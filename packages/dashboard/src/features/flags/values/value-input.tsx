import { TextInput } from '@mantine/core';
import type { FlagValue } from '@switchyard/core/api/targeting';
import { parseFlagValue } from '@switchyard/core/evaluation/flag-format';
import { ChoiceField } from '../../../ui/fields/choice-field.tsx';
import { JsonField } from '../../../ui/fields/json-field.tsx';
import { jsonProblem } from '../../../ui/fields/json-problem.ts';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import type { FlagKind } from './flag-kinds.ts';

interface ValueInputProps {
  label: string;
  kind: FlagKind;
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

const MAX_LENGTH = 8192;

/** A value of a flag. Numbers and JSON are texts, which are checked while typing. */
export function ValueInput({ kind, value, onChange, disabled = false, error, ...field }: ValueInputProps) {
  if (kind === 'boolean') {
    return (
      <ChoiceField
        {...field}
        error={error}
        disabled={disabled}
        options={BOOLEANS}
        value={value === true ? 'true' : 'false'}
        onChange={(text) => onChange(text === 'true')}
      />
    );
  }
  const text = String(value);
  const common = { ...field, disabled, maxLength: MAX_LENGTH, value: text };
  if (kind === 'json') return <JsonField {...common} error={error} onChange={onChange} />;
  if (kind === 'number') {
    const problem =
      parseFlagValue(text, 'number') === undefined ? 'Not a number such as 12.5 or -3' : undefined;
    return (
      <TextInput
        {...common}
        // The keyboards for numbers of some phones have no minus.
        inputMode="text"
        autoComplete="off"
        error={problem ?? error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const problem =
    /^\s*[[{]/.test(text) && jsonProblem(text) ? 'Looks like JSON, but is not valid JSON' : undefined;
  return <TextArea {...common} error={error ?? problem} onChange={onChange} />;
}
