import { Button, Group, Stack, Title } from '@mantine/core';
import { flagValueWords } from '@switchyard/core/words/flag-value-words';
import { Check } from '../../ui/fields/check.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import type { Environment, Flag, FlagEnvironment } from '../configuration/configuration-types.ts';
import classes from './environment-editor.module.css';
import { configurationIn, newRule, simpleRollout, withConfiguration } from './flag-configuration.ts';
import { PrerequisiteEditor } from './rules/prerequisite-editor.tsx';
import { RuleList } from './rules/rule-list.tsx';
import { SimpleRollout } from './rules/simple-rollout.tsx';
import { ValueInput } from './value-input.tsx';

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
        <Targeting {...props} configuration={configuration} pointer={pointer} onChange={change} />
        <ValueInput
          label={configuration.rules.length === 0 ? 'Serve to everyone' : 'Serve to everyone else'}
          type={flag.type}
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

interface TargetingProps extends Omit<EnvironmentEditorProps, 'onChange'> {
  configuration: FlagEnvironment;
  pointer: string;
  onChange: (changes: Partial<FlagEnvironment>) => void;
}

/** A slider for a plain percentage, or the list of rules. */
function Targeting({ flag, configuration, pointer, onChange, errors, disabled }: TargetingProps) {
  const { rules, value } = configuration;
  const simple = simpleRollout(configuration);
  const isBoolean = flag.type === 'boolean';
  const startRollout = () => {
    const rule = { ...newRule(rules, isBoolean ? true : value), rollout: { percentage: 10 } };
    onChange({ rules: [rule], ...(isBoolean && { value: false }) });
  };
  const addRule = () => onChange({ rules: [newRule(rules, isBoolean ? true : value), ...rules] });
  return (
    <section>
      <Title order={3} fz="sm" mb={4}>
        {simple ? 'Rollout' : 'Rules'}
      </Title>
      {simple ? (
        <SimpleRollout
          rule={simple}
          type={flag.type}
          pointer={`${pointer}/rules/0`}
          errors={errors}
          disabled={disabled}
          onChange={(rule) => onChange({ rules: [rule] })}
        />
      ) : (
        <>
          <p className={classes.hint}>
            {rules.length === 0
              ? 'No rules: everyone gets the same value.'
              : 'The first rule that matches decides.'}
          </p>
          <RuleList
            rules={rules}
            type={flag.type}
            pointer={`${pointer}/rules`}
            errors={errors}
            disabled={disabled}
            onChange={(next) => onChange({ rules: next })}
          />
        </>
      )}
      <Group gap="xs" mt="xs">
        {simple && (
          <Button size="xs" variant="default" disabled={disabled} onClick={addRule}>
            Add rule
          </Button>
        )}
        {simple && (
          <Button
            size="xs"
            variant="subtle"
            disabled={disabled}
            onClick={() => onChange({ rules: [], value: simple.value })}
          >
            Serve to everyone
          </Button>
        )}
        {rules.length === 0 && (
          <Button size="xs" variant="default" disabled={disabled} onClick={startRollout}>
            Roll out gradually
          </Button>
        )}
      </Group>
    </section>
  );
}
