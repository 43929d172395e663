import { Button, Group, Title } from '@mantine/core';
import type { Rule } from '@switchyard/core/api/targeting';
import { useState } from 'react';
import type { FlagEnvironment } from '../../configuration/configuration-types.ts';
import { newRule, simpleRollout } from '../flag-configuration.ts';
import type { FlagKind } from '../values/flag-kinds.ts';
import { RuleList } from './rule-list.tsx';
import { SimpleRollout } from './simple-rollout.tsx';
import { withSplit } from './split/splits.ts';
import classes from './targeting.module.css';

interface TargetingProps {
  kind: FlagKind;
  configuration: FlagEnvironment;
  onChange: (changes: Partial<FlagEnvironment>) => void;
  errors: (pointer: string) => string | undefined;
  /** JSON pointer of the configuration. */
  pointer: string;
  disabled: boolean;
}

/** Who gets another value: a slider for a plain percentage, or the list of rules. */
export function Targeting({ kind, configuration, onChange, errors, pointer, disabled }: TargetingProps) {
  const { rules, value } = configuration;
  const [begun, setBegun] = useState<string>();
  const simple = simpleRollout(configuration);
  const isBoolean = kind === 'boolean';
  const newValue = isBoolean ? true : value;
  const rollOut = () => {
    const rule = { ...newRule(rules, newValue), rollout: { percentage: 10 } };
    onChange({ rules: [rule], ...(isBoolean && { value: false }) });
  };
  const split = (rule: Rule) => {
    onChange({ rules: [withSplit(rule, kind, newValue)] });
    setBegun(rule.id);
  };
  return (
    <section>
      <Title order={3} fz="sm" mb={4}>
        {simple ? 'Rollout' : 'Rules'}
      </Title>
      {simple ? (
        <SimpleRollout
          rule={simple}
          kind={kind}
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
            key={begun}
            begun={begun}
            rules={rules}
            kind={kind}
            startValue={kind === 'text' ? '' : newValue}
            pointer={`${pointer}/rules`}
            errors={errors}
            disabled={disabled}
            onChange={(next) => onChange({ rules: next })}
          />
        </>
      )}
      <Group gap="xs" mt="xs">
        {simple && (
          <>
            <Button
              size="xs"
              variant="default"
              disabled={disabled}
              onClick={() => onChange({ rules: [newRule(rules, newValue), ...rules] })}
            >
              Add rule
            </Button>
            <Button size="xs" variant="default" disabled={disabled} onClick={() => split(simple)}>
              Split
            </Button>
            <Button
              size="xs"
              variant="subtle"
              disabled={disabled}
              onClick={() => onChange({ rules: [], value: simple.value })}
            >
              Serve to everyone
            </Button>
          </>
        )}
        {rules.length === 0 && (
          <>
            <Button size="xs" variant="default" disabled={disabled} onClick={rollOut}>
              Roll out gradually
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={disabled}
              onClick={() => split(newRule(rules, newValue))}
            >
              Split
            </Button>
          </>
        )}
      </Group>
    </section>
  );
}
