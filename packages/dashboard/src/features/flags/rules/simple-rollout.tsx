import { Stack } from '@mantine/core';
import type { Rule } from '@switchyard/core/api/targeting';
import { MeasureSection } from '../../measured-flags/editor/measure-section.tsx';
import type { SimpleRule } from '../flag-configuration.ts';
import type { FlagKind } from '../values/flag-kinds.ts';
import { ValueInput } from '../values/value-input.tsx';
import { RolloutEditor } from './rollout-editor.tsx';

interface SimpleRolloutProps {
  rule: SimpleRule;
  kind: FlagKind;
  onChange: (rule: Rule) => void;
  errors: (pointer: string) => string | undefined;
  /** JSON pointer of the rule. */
  pointer: string;
  disabled: boolean;
}

/** A flag that is only rolled out to a percentage of everyone. */
export function SimpleRollout(props: SimpleRolloutProps) {
  const { rule, kind, onChange, errors, pointer, disabled } = props;
  return (
    <Stack gap="xs">
      <ValueInput
        label="Serve"
        kind={kind}
        value={rule.value}
        error={errors(`${pointer}/value`)}
        disabled={disabled}
        onChange={(value) => onChange({ ...rule, value })}
      />
      <RolloutEditor
        label="To a percentage of everyone"
        rollout={rule.rollout}
        ruleId={rule.id}
        pointer={`${pointer}/rollout`}
        errors={errors}
        disabled={disabled}
        onChange={(rollout) => onChange({ ...rule, rollout })}
      />
      <MeasureSection rule={rule} onChange={onChange} errors={errors} pointer={pointer} disabled={disabled} />
    </Stack>
  );
}
