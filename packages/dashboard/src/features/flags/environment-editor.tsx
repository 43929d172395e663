import { Stack, Title } from '@mantine/core';
import { flagValueWords } from '@switchyard/core/words/flag-value-words';
import { Check } from '../../ui/fields/check.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import type { Environment, Flag, FlagEnvironment } from '../configuration/configuration-types.ts';
import { FlagPlace } from '../measured-flags/flag-place.ts';
import { configurationIn, withConfiguration } from './flag-configuration.ts';
import { PrerequisiteEditor } from './rules/prerequisite-editor.tsx';
import { Targeting } from './rules/targeting.tsx';
import { kindOf } from './values/flag-kinds.ts';
import { ValueInput } from './values/value-input.tsx';

interface EnvironmentEditorProps {
  /** The draft. */
  flag: Flag;
  /** What is saved. */
  stored: Flag;
  environment: Environment;
  onChange: (changes: Pick<Flag, 'environments'>) => void;
  errors: (pointer: string) => string | undefined;
  disabled: boolean;
}

/** What a flag serves in one environment, and to whom. */
export function EnvironmentEditor(props: EnvironmentEditorProps) {
  const { flag, stored, environment, onChange, errors, disabled } = props;
  const configuration = configurationIn(flag, environment.id);
  const pointer = `/environments/${environment.id}`;
  const change = (changes: Partial<FlagEnvironment>) =>
    onChange(withConfiguration(flag, environment.id, changes));
  const { enabled, value, prerequisites } = configuration;
  const kind = kindOf(flag);
  const isStoredOn = stored.environments[environment.id]?.enabled ?? false;
  return (
    <Panel
      title={environment.name}
      hint={
        environment.protected
          ? 'Protected: saving needs a comment, and an approval unless you are an admin.'
          : undefined
      }
    >
      <Stack gap="md">
        <Check
          kind="switch"
          label={enabled ? 'On' : `Off: everyone gets ${flagValueWords(flag.defaultValue)}`}
          aria-label={`On in ${environment.name}`}
          description={
            enabled === isStoredOn ? undefined : `Not saved yet: it is ${isStoredOn ? 'on' : 'off'}`
          }
          checked={enabled}
          disabled={disabled}
          onChange={(isOn) => change({ enabled: isOn })}
        />
        <FlagPlace value={{ flagKey: flag.key, environment: environment.id }}>
          <Targeting
            kind={kind}
            configuration={configuration}
            pointer={pointer}
            errors={errors}
            disabled={disabled}
            onChange={change}
          />
        </FlagPlace>
        <ValueInput
          label={configuration.rules.length === 0 ? 'Serve to everyone' : 'Serve to everyone else'}
          kind={kind}
          value={value}
          error={errors(`${pointer}/value`)}
          disabled={disabled}
          onChange={(next) => change({ value: next })}
        />
        <section>
          <Title order={3} fz="sm" mb={4}>
            Prerequisites
          </Title>
          <PrerequisiteEditor
            flagKey={flag.key}
            prerequisites={prerequisites}
            pointer={`${pointer}/prerequisites`}
            errors={errors}
            disabled={disabled}
            onChange={(next) => change({ prerequisites: next })}
          />
        </section>
      </Stack>
    </Panel>
  );
}
