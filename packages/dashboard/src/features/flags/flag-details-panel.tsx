import { Stack, Text, TextInput } from '@mantine/core';
import { Panel } from '../../ui/page/panel.tsx';
import type { Flag } from '../configuration/configuration-types.ts';
import { FlagDetailsFields } from './flag-details-fields.tsx';
import { TextKindField } from './values/text-kind-field.tsx';

interface FlagDetailsPanelProps {
  flag: Flag;
  onChange: (changes: Partial<Flag>) => void;
  errors: (pointer: string) => string | undefined;
  disabled: boolean;
}

/** What is the same in all environments. */
export function FlagDetailsPanel({ flag, onChange, errors, disabled }: FlagDetailsPanelProps) {
  return (
    <Panel title="Details" hint="The same in all environments">
      <Stack gap="sm">
        <TextInput
          label="Name"
          maxLength={256}
          value={flag.name}
          error={errors('/name')}
          disabled={disabled}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        {flag.type === 'boolean' ? (
          <Text size="sm" c="dimmed">
            Type: on or off
          </Text>
        ) : (
          <TextKindField flag={flag} onChange={onChange} error={errors('/format')} disabled={disabled} />
        )}
        <FlagDetailsFields flag={flag} onChange={onChange} errors={errors} disabled={disabled} />
      </Stack>
    </Panel>
  );
}
