import { Group, Stack, Text } from '@mantine/core';
import type { Condition, Rule } from '@switchyard/core/api/targeting';
import { useId, useState } from 'react';
import { AddButton } from '../../ui/fields/add-button.tsx';
import { Choice } from '../../ui/fields/choice.tsx';
import { useRowKeys } from '../../ui/hooks/use-row-keys.ts';
import { ConditionEditor } from './condition-editor.tsx';
import { useAttributeNames } from './use-attribute-names.ts';

interface ConditionList {
  conditions: Condition[];
  match: Rule['match'];
}

interface ConditionListEditorProps {
  conditions: readonly Condition[];
  match: Rule['match'];
  onChange: (list: ConditionList) => void;
  /** The message about the field with this JSON pointer. */
  errors?: (pointer: string) => string | undefined;
  /** JSON pointer of the list, such as `/conditions`. */
  pointer: string;
  /** What it means that there are no conditions. */
  emptyText?: string;
  /** The segment that is edited, which cannot contain itself. */
  withoutSegment?: string;
  /** What attributes to suggest are, by name; default: names of common ones. */
  attributes?: Readonly<Record<string, string>>;
  disabled?: boolean;
}

/** The conditions of a rule, a segment or an audience, of which all or any must hold. */
export function ConditionListEditor(props: ConditionListEditorProps) {
  const {
    conditions,
    match,
    onChange,
    errors,
    pointer,
    disabled = false,
    withoutSegment,
    attributes,
  } = props;
  const suggestions = useId();
  const names = useAttributeNames(attributes && Object.keys(attributes));
  const rows = useRowKeys(conditions.length);
  const [added, setAdded] = useState<number>();
  const change = (next: Condition[]) => onChange({ conditions: next, match });
  const add = (condition: Condition) => {
    setAdded(conditions.length);
    change([...conditions, condition]);
  };
  return (
    <Stack gap="xs">
      <datalist id={suggestions}>
        {names.map((name) => (
          <option key={name} value={name} label={attributes?.[name]} />
        ))}
      </datalist>
      {conditions.length > 1 && (
        <Group gap="xs">
          <Choice
            label="How conditions are combined"
            options={[
              { value: 'all', label: 'All must hold' },
              { value: 'any', label: 'Any may hold' },
            ]}
            value={match ?? 'all'}
            disabled={disabled}
            onChange={(value) => onChange({ conditions: [...conditions], match: value })}
          />
        </Group>
      )}
      {conditions.map((condition, index) => (
        <ConditionEditor
          key={rows.keys[index]}
          condition={condition}
          number={index + 1}
          suggestions={suggestions}
          disabled={disabled}
          isAdded={index === added}
          withoutSegment={withoutSegment}
          error={(field = '') => errors?.(`${pointer}/${index}${field && `/${field}`}`)}
          onChange={(next) => change(conditions.with(index, next))}
          onRemove={() => {
            rows.remove(index);
            setAdded(undefined);
            change(conditions.filter((_, each) => each !== index));
          }}
        />
      ))}
      {conditions.length === 0 && props.emptyText && (
        <Text size="sm" c="dimmed">
          {props.emptyText}
        </Text>
      )}
      <Group gap="xs">
        <AddButton disabled={disabled} onClick={() => add({ operator: 'equals', values: [] })}>
          Add condition
        </AddButton>
        <AddButton disabled={disabled} onClick={() => add({ operator: 'inSegment', values: [] })}>
          Add segment
        </AddButton>
      </Group>
    </Stack>
  );
}
