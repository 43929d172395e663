import { Stack } from '@mantine/core';
import type { FlagValue, Rule } from '@switchyard/core/api/targeting';
import { ChoiceField } from '../../../ui/fields/choice-field.tsx';
import type { FlagKind } from '../values/flag-kinds.ts';
import { ValueInput } from '../values/value-input.tsx';
import { SplitEditor } from './split/split-editor.tsx';
import { withOneValue, withSplit } from './split/splits.ts';

interface ServedFieldsProps {
  rule: Rule;
  kind: FlagKind;
  /** Where the rule has no value yet. */
  startValue: FlagValue;
  onChange: (rule: Rule) => void;
  errors: (pointer: string) => string | undefined;
  /** JSON pointer of the rule. */
  pointer: string;
  disabled: boolean;
}

const WAYS = [
  { value: 'value', label: 'One value' },
  { value: 'split', label: 'Split by percentage' },
] as const;

/** What a rule serves: one value, or several to a share each. */
export function ServedFields(props: ServedFieldsProps) {
  const { rule, kind, startValue, onChange, errors, pointer, disabled } = props;
  const { split, value = startValue } = rule;
  return (
    <Stack gap={6}>
      <ChoiceField
        label="Serve"
        options={WAYS}
        value={split === undefined ? 'value' : 'split'}
        disabled={disabled}
        onChange={(way) =>
          onChange(way === 'split' ? withSplit(rule, kind, startValue) : withOneValue(rule, startValue))
        }
      />
      {split === undefined ? (
        <ValueInput
          label="Served value"
          kind={kind}
          value={value}
          error={errors(`${pointer}/value`)}
          disabled={disabled}
          onChange={(next) => onChange({ ...rule, value: next })}
        />
      ) : (
        <SplitEditor
          split={split}
          isPartial={rule.rollout !== undefined && rule.rollout.percentage < 100}
          kind={kind}
          pointer={`${pointer}/split`}
          errors={errors}
          disabled={disabled}
          onChange={(next) => onChange({ ...rule, split: next })}
        />
      )}
    </Stack>
  );
}
