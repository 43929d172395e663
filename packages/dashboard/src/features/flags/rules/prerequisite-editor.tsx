import { Group, Select, Stack, Text } from '@mantine/core';
import type { Prerequisite } from '@switchyard/core/api/targeting';
import { AddButton } from '../../../ui/fields/add-button.tsx';
import { useRowKeys } from '../../../ui/hooks/use-row-keys.ts';
import { IconButton } from '../../../ui/page/icon-button.tsx';
import type { Flag } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { kindOf } from '../values/flag-kinds.ts';
import { ValueInput } from '../values/value-input.tsx';

interface PrerequisiteEditorProps {
  /** The flag that has the prerequisites. */
  flagKey: string;
  prerequisites: readonly Prerequisite[];
  onChange: (prerequisites: Prerequisite[]) => void;
  errors: (pointer: string) => string | undefined;
  pointer: string;
  disabled: boolean;
}

/** Values that other flags must have in the same environment; otherwise the default value is served. */
export function PrerequisiteEditor(props: PrerequisiteEditorProps) {
  const { flagKey, prerequisites, onChange, errors, pointer, disabled } = props;
  const { flags } = useProperty().configuration;
  const rows = useRowKeys(prerequisites.length);
  const used = new Set([flagKey, ...prerequisites.map(({ flag }) => flag)]);
  const free = flags.filter(({ key }) => !used.has(key));
  const isNoneLeft = free.length === 0;
  return (
    <Stack gap="xs">
      {prerequisites.length === 0 && (
        <Text size="sm" c="dimmed">
          None. With a prerequisite, rules only apply while another flag has a certain value.
        </Text>
      )}
      {prerequisites.map((prerequisite, index) => (
        <Group
          key={rows.keys[index]}
          gap="xs"
          align="start"
          role="group"
          aria-label={`Prerequisite ${index + 1}`}
        >
          <Select
            label="Flag"
            data={choices(flags, flagKey, used, prerequisite.flag)}
            searchable
            allowDeselect={false}
            limit={100}
            flex="1 1 140px"
            value={prerequisite.flag}
            error={errors(`${pointer}/${index}/flag`)}
            disabled={disabled}
            onChange={(key) => {
              const flag = flags.find((each) => each.key === key);
              if (flag) onChange(prerequisites.with(index, prerequisiteOn(flag)));
            }}
          />
          <ValueInput
            label="Must be"
            kind={kindOf(flags.find(({ key }) => key === prerequisite.flag) ?? typeOf(prerequisite))}
            value={prerequisite.value}
            error={errors(`${pointer}/${index}/value`)}
            disabled={disabled}
            onChange={(value) => onChange(prerequisites.with(index, { ...prerequisite, value }))}
          />
          <IconButton
            icon="close"
            size="lg"
            mt={22}
            aria-label={`Remove prerequisite ${index + 1}`}
            disabled={disabled}
            onClick={() => {
              rows.remove(index);
              onChange(prerequisites.filter((_, each) => each !== index));
            }}
          />
        </Group>
      ))}
      <Group gap="xs">
        <AddButton
          disabled={disabled || isNoneLeft}
          title={isNoneLeft ? 'There is no other flag' : undefined}
          onClick={() => free[0] && onChange([...prerequisites, prerequisiteOn(free[0])])}
        >
          Add prerequisite
        </AddButton>
      </Group>
    </Stack>
  );
}

/** Of a flag that does not exist any more. */
const typeOf = ({ value }: Prerequisite) =>
  ({ type: typeof value === 'boolean' ? 'boolean' : 'string' }) as const;

const prerequisiteOn = ({ key, type, defaultValue }: Flag): Prerequisite => ({
  flag: key,
  value: type === 'boolean' ? true : defaultValue,
});

function choices(flags: readonly Flag[], own: string, used: ReadonlySet<string>, chosen: string) {
  const known = flags
    .filter(({ key }) => key !== own && (key === chosen || !used.has(key)))
    .map(({ key, name }) => ({ value: key, label: name === key ? key : `${name} (${key})` }));
  if (known.some(({ value }) => value === chosen)) return known;
  return [{ value: chosen, label: `${chosen} (does not exist)` }, ...known];
}
