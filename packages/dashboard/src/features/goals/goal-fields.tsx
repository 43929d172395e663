import { Group, Select } from '@mantine/core';
import { Check } from '../../ui/fields/check.tsx';
import { ChoiceField } from '../../ui/fields/choice-field.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import type { ItemForm } from '../changes/use-item-form.ts';
import type { Goal } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';

type Fields = Pick<Goal, 'kind' | 'lowerIsBetter' | 'target'>;

const KINDS = [
  { value: 'count', label: 'Conversions' },
  { value: 'revenue', label: 'Revenue' },
] as const;
const PERIODS = [
  { value: 'week', label: 'per week' },
  { value: 'month', label: 'per month' },
  { value: 'quarter', label: 'per quarter' },
];

/** What a goal counts, which direction is good, and its target. */
export function GoalFields<T extends Fields & { id: string; name: string }>({ form }: { form: ItemForm<T> }) {
  const { draft, errors, readOnly } = form;
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const { kind, lowerIsBetter, target } = draft.value;
  const disabled = readOnly !== undefined;
  const change = (changes: Partial<Fields>) => draft.change(changes as Partial<T>);
  const period = target?.period ?? 'month';
  return (
    <>
      <ChoiceField
        label="Kind"
        options={KINDS}
        value={kind}
        disabled={disabled}
        onChange={(next) => change({ kind: next })}
      />
      <Check
        kind="switch"
        label="Lower is better"
        description="For goals such as complaints"
        checked={lowerIsBetter}
        disabled={disabled}
        onChange={(isOn) => change({ lowerIsBetter: isOn })}
      />
      <Group gap="xs" align="end" wrap="nowrap">
        <NumberField
          label="Target"
          description={lowerIsBetter ? 'At most; empty: none' : 'Empty: none'}
          unit={kind === 'revenue' ? currency : ''}
          value={target?.value ?? null}
          error={errors('/target')}
          disabled={disabled}
          onChange={(value) => change({ target: value === null ? null : { value, period } })}
          flex={1}
        />
        <Select
          aria-label="Period of the target"
          data={PERIODS}
          value={period}
          allowDeselect={false}
          disabled={disabled || target === null}
          onChange={(next) => target && change({ target: { ...target, period: next as typeof period } })}
          w={130}
        />
      </Group>
    </>
  );
}
