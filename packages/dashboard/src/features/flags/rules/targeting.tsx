import { Button, Group, Title } from '@mantine/core';
import type { FlagValue, Rule } from '@switchyard/core/api/targeting';
import { useState } from 'react';
import type { FlagEnvironment } from '../../configuration/configuration-types.ts';
import { MeasuredBadge } from '../../measured-flags/measured-badge.tsx';
import { newRule, type SimpleRule, simpleRollout } from '../flag-configuration.ts';
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

interface ViewProps extends TargetingProps {
  /** What others than everyone else probably get. */
  newValue: FlagValue;
  /** Several values for those whom the rule is for. */
  onSplit: (rule: Rule) => void;
}

/** Who gets another value: a slider for a plain percentage, or the list of rules. */
export function Targeting(props: TargetingProps) {
  const { kind, configuration, onChange } = props;
  const [begun, setBegun] = useState<string>();
  const simple = simpleRollout(configuration);
  const newValue = kind === 'boolean' ? true : configuration.value;
  const split = (rule: Rule) => {
    onChange({ rules: [withSplit(rule, kind, newValue)] });
    setBegun(rule.id);
  };
  const view = { ...props, newValue, onSplit: split };
  return (
    <section>
      <Group gap="xs" mb={4}>
        <Title order={3} fz="sm">
          {simple ? 'Rollout' : 'Rules'}
        </Title>
        {simple && <MeasuredBadge ruleId={simple.id} />}
      </Group>
      {simple ? <OneRollout {...view} rule={simple} /> : <AllRules {...view} key={begun} begun={begun} />}
    </section>
  );
}

function OneRollout({ rule, newValue, onSplit, ...props }: ViewProps & { rule: SimpleRule }) {
  const { kind, configuration, onChange, errors, pointer, disabled } = props;
  const { rules } = configuration;
  return (
    <>
      <SimpleRollout
        rule={rule}
        kind={kind}
        pointer={`${pointer}/rules/0`}
        errors={errors}
        disabled={disabled}
        onChange={(next) => onChange({ rules: [next] })}
      />
      <Group gap="xs" mt="xs">
        <Button
          size="xs"
          variant="default"
          disabled={disabled}
          onClick={() => onChange({ rules: [newRule(rules, newValue), ...rules] })}
        >
          Add rule
        </Button>
        <Button size="xs" variant="default" disabled={disabled} onClick={() => onSplit(rule)}>
          Split
        </Button>
        <Button
          size="xs"
          variant="subtle"
          disabled={disabled}
          onClick={() => onChange({ rules: [], value: rule.value })}
        >
          Serve to everyone
        </Button>
      </Group>
    </>
  );
}

function AllRules({ begun, newValue, onSplit, ...props }: ViewProps & { begun: string | undefined }) {
  const { kind, configuration, onChange, errors, pointer, disabled } = props;
  const { rules } = configuration;
  const isEmpty = rules.length === 0;
  const rollOut = () => {
    const rule = { ...newRule(rules, newValue), rollout: { percentage: 10 } };
    onChange({ rules: [rule], ...(kind === 'boolean' && { value: false }) });
  };
  const starts = (
    <>
      <Button size="xs" variant="default" disabled={disabled} onClick={rollOut}>
        Roll out gradually
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={disabled}
        onClick={() => onSplit(newRule(rules, newValue))}
      >
        Split
      </Button>
    </>
  );
  return (
    <>
      <p className={classes.hint}>
        {isEmpty ? 'No rules: everyone gets the same value.' : 'The first rule that matches decides.'}
      </p>
      <RuleList
        begun={begun}
        rules={rules}
        kind={kind}
        startValue={kind === 'text' ? '' : newValue}
        pointer={`${pointer}/rules`}
        errors={errors}
        disabled={disabled}
        onChange={(next) => onChange({ rules: next })}
        actions={isEmpty && starts}
      />
    </>
  );
}
