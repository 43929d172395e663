import { Group, Stack } from '@mantine/core';
import type { Rollout } from '@switchyard/core/api/targeting';
import { DEFAULT_WAIT_DAYS } from '@switchyard/core/lifecycle/guarded-rollout';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { GuardrailFields } from '../outcomes/guardrail-fields.tsx';
import type { MeasuredBy } from '../outcomes/outcome-form.ts';
import { outcomeOptions } from '../outcomes/outcome-options.ts';
import { GuardrailReplay } from './guardrail-replay.tsx';

interface GuardrailSectionProps {
  rollout: Rollout;
  ruleId: string;
  onChange: (rollout: Rollout) => void;
  errors: (pointer: string) => string | undefined;
  pointer: string;
  disabled: boolean;
}

/** What must not get worse for the steps of a rollout to be made. */
export function GuardrailSection(props: GuardrailSectionProps) {
  const { rollout, ruleId, onChange, errors, pointer, disabled } = props;
  const { guardrails = [], minVisitors, maxWaitDays } = rollout;
  const form = {
    value: { guardrails, smallestEffect: null },
    change: (changes: Partial<MeasuredBy>) =>
      onChange(withGuardrails(rollout, changes.guardrails ?? guardrails)),
    errorAt: (field: string) => errors(pointer + field),
  };
  return (
    <Stack gap="xs">
      <GuardrailFields
        form={form}
        description="Must not get worse: before each step, those inside are compared with those outside. Proven harm rolls back at once"
        options={outcomeOptions(useProperty().configuration)}
        disabled={disabled}
      />
      {guardrails.length > 0 && (
        <Group gap="sm" align="start">
          <NumberField
            label="Minimum visitors"
            description="Inside, at each percentage: with no proven harm, that is enough. Empty: only once more harm is ruled out"
            isWhole
            maw={300}
            value={minVisitors ?? null}
            error={errors(`${pointer}/minVisitors`)}
            disabled={disabled}
            onChange={(value) => onChange(withNumber(rollout, 'minVisitors', value))}
          />
          <NumberField
            label="Waits for at most"
            description="Then it stays where it is until somebody decides"
            unit="days"
            maw={300}
            placeholder={String(DEFAULT_WAIT_DAYS)}
            value={maxWaitDays ?? null}
            error={errors(`${pointer}/maxWaitDays`)}
            disabled={disabled}
            onChange={(value) => onChange(withNumber(rollout, 'maxWaitDays', value))}
          />
        </Group>
      )}
      {guardrails.length > 0 && <GuardrailReplay rollout={rollout} ruleId={ruleId} />}
    </Stack>
  );
}

/** Without guardrails, nothing waits. */
function withGuardrails(
  { guardrails: _before, ...rollout }: Rollout,
  guardrails: MeasuredBy['guardrails'],
): Rollout {
  if (guardrails.length > 0) return { ...rollout, guardrails };
  const { minVisitors: _min, maxWaitDays: _wait, ...rest } = rollout;
  return rest;
}

function withNumber(rollout: Rollout, name: 'minVisitors' | 'maxWaitDays', value: number | null): Rollout {
  const { [name]: _before, ...rest } = rollout;
  return value === null ? rest : { ...rest, [name]: value };
}
