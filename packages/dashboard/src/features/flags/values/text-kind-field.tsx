import { ChoiceField } from '../../../ui/fields/choice-field.tsx';
import type { Flag } from '../../configuration/configuration-types.ts';
import { KINDS, kindOf, kindOptions, TEXT_KINDS, valuesOf } from './flag-kinds.ts';

interface TextKindFieldProps {
  flag: Flag;
  onChange: (changes: Pick<Flag, 'format' | 'schema'>) => void;
  error: string | undefined;
  disabled: boolean;
}

const OPTIONS = kindOptions(TEXT_KINDS);

/** What the values of a flag that is not a boolean stand for. They stay as they are, so they may have to be changed. */
export function TextKindField({ flag, onChange, error, disabled }: TextKindFieldProps) {
  const kind = kindOf(flag);
  return (
    <ChoiceField
      label="Type"
      description={KINDS[kind].hint}
      options={OPTIONS}
      value={kind === 'boolean' ? 'text' : kind}
      error={error}
      disabled={disabled}
      onChange={(next) => {
        const { format } = valuesOf(next);
        onChange({ format, schema: format && flag.schema });
      }}
    />
  );
}
