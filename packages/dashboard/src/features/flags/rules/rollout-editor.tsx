import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { Rollout } from '@switchyard/core/api/targeting';
import { useState } from 'react';
import { NumberField } from '../../../ui/fields/number-field.tsx';
import { PercentSlider } from '../../../ui/fields/percent-slider.tsx';
import classes from './rollout-editor.module.css';
import { RolloutSchedule } from './rollout-schedule.tsx';

interface RolloutEditorProps {
  rollout: Rollout;
  ruleId: string;
  onChange: (rollout: Rollout) => void;
  errors: (pointer: string) => string | undefined;
  pointer: string;
  disabled: boolean;
  /** Default: "Percentage" */
  label?: string;
}

/** The percentage, its schedule, and under "Advanced" what it is based on. */
export function RolloutEditor(props: RolloutEditorProps) {
  const { rollout, onChange, errors, pointer, disabled, label = 'Percentage' } = props;
  const [isAdvanced, setAdvanced] = useState(rollout.by !== undefined || rollout.salt !== undefined);
  const setPercentage = (percentage: number) => onChange({ ...rollout, percentage });
  return (
    <Stack gap="xs">
      <div className={classes.percentage}>
        <PercentSlider
          label={`${label}, slider`}
          value={rollout.percentage}
          disabled={disabled}
          onChange={setPercentage}
        />
        <NumberField
          aria-label={label}
          unit="%"
          w={96}
          value={rollout.percentage}
          error={errors(`${pointer}/percentage`)}
          disabled={disabled}
          onChange={(value) => setPercentage(value ?? 0)}
        />
      </div>
      <RolloutSchedule
        {...props}
        actions={
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={isAdvanced}
            onClick={() => setAdvanced(!isAdvanced)}
          >
            Advanced
          </Button>
        }
      />
      {isAdvanced && (
        <Group gap="sm" align="start">
          <TextInput
            label="Count by attribute"
            description="Default: the first id in the context"
            placeholder="userId"
            maxLength={256}
            value={rollout.by ?? ''}
            error={errors(`${pointer}/by`)}
            disabled={disabled}
            onChange={(event) => onChange(withText(rollout, 'by', event.currentTarget.value))}
          />
          <TextInput
            label="Salt"
            description="Default: the id of the rule. The same salt includes the same visitors"
            maxLength={256}
            value={rollout.salt ?? ''}
            error={errors(`${pointer}/salt`)}
            disabled={disabled}
            onChange={(event) => onChange(withText(rollout, 'salt', event.currentTarget.value))}
          />
        </Group>
      )}
    </Stack>
  );
}

function withText(rollout: Rollout, name: 'by' | 'salt', text: string): Rollout {
  const { [name]: _, ...rest } = rollout;
  return text === '' ? rest : { ...rest, [name]: text };
}
