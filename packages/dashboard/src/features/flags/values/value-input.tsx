import type { FlagType, FlagValue } from '@switchyard/core/api/targeting';
import { ChoiceField } from '../../ui/fields/choice-field.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';

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
  const common = { label, description, error, disabled: disabled ?? false };
  if (type === 'boolean') {
    return (
      <ChoiceField
        {...common}
        options={BOOLEANS}
        value={value === true ? 'true' : 'false'}
        onChange={(text) => onChange(text === 'true')}
      />
    );
  }
  const text = String(value);
  const jsonError =
    /^\s*[[{]/.test(text) && !isJson(text) ? 'Looks like JSON, but is not valid JSON' : undefined;
  return (
    <TextArea {...common} error={error ?? jsonError} maxLength={8192} value={text} onChange={onChange} />
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
