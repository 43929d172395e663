import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { Rollout } from '@switchyard/core/api/targeting';
import { withoutGuardrails } from '@switchyard/core/lifecycle/guarded-rollout';
import { type ReactNode, Suspense } from 'react';
import { AddButton } from '../../../ui/fields/add-button.tsx';
import { DateTimeField } from '../../../ui/fields/date-time-field.tsx';
import { NumberField } from '../../../ui/fields/number-field.tsx';
import { displayZone } from '../../../ui/format/display-zone.ts';
import { useRowKeys } from '../../../ui/hooks/use-row-keys.ts';
import { IconButton } from '../../../ui/page/icon-button.tsx';
import { lazyPart } from '../../../ui/page/lazy-part.ts';

/** Few rollouts have steps. */
const GuardrailSection = lazyPart(() =>
  import('../../guarded-rollouts/guardrail-section.tsx').then((module) => module.GuardrailSection),
);

interface RolloutScheduleProps {
  rollout: Rollout;
  ruleId: string;
  onChange: (rollout: Rollout) => void;
  errors: (pointer: string) => string | undefined;
  pointer: string;
  disabled: boolean;
  /** Beside the button that adds a step. */
  actions?: ReactNode;
}

type Step = NonNullable<Rollout['schedule']>[number];

const DAY = 86_400_000;

/** Future changes of the percentage. */
export function RolloutSchedule({
  rollout,
  ruleId,
  onChange,
  errors,
  pointer,
  disabled,
  actions,
}: RolloutScheduleProps) {
  const { schedule = [] } = rollout;
  const rows = useRowKeys(schedule.length);
  const change = (steps: Step[]) => onChange(withSchedule(rollout, steps));
  const add = () => {
    const last = schedule.at(-1) ?? {
      at: Math.ceil(Date.now() / 3_600_000) * 3_600_000,
      percentage: rollout.percentage,
    };
    change([...schedule, { at: last.at + DAY, percentage: Math.min(100, Math.max(1, last.percentage) * 2) }]);
  };
  return (
    <Stack gap={6}>
      {schedule.map((step, index) => (
        <Group key={rows.keys[index]} gap="xs" align="start" role="group" aria-label={`Step ${index + 1}`}>
          <DateTimeField
            aria-label={`Time of step ${index + 1}`}
            value={step.at}
            error={errors(`${pointer}/schedule/${index}/at`)}
            disabled={disabled}
            onChange={(at) => at !== undefined && change(schedule.with(index, { ...step, at }))}
          />
          <NumberField
            aria-label={`Percentage of step ${index + 1}`}
            unit="%"
            w={96}
            value={step.percentage}
            error={errors(`${pointer}/schedule/${index}/percentage`)}
            disabled={disabled}
            onChange={(value) => change(schedule.with(index, { ...step, percentage: value ?? 0 }))}
          />
          <IconButton
            icon="close"
            size="lg"
            aria-label={`Remove step ${index + 1}`}
            disabled={disabled}
            onClick={() => {
              rows.remove(index);
              change(schedule.filter((_, each) => each !== index));
            }}
          />
        </Group>
      ))}
      {(schedule.length > 0 || rollout.guardrails !== undefined) && (
        <Suspense fallback={<Skeleton height={80} role="status" aria-label="Loading" />}>
          <GuardrailSection
            rollout={rollout}
            ruleId={ruleId}
            onChange={onChange}
            errors={errors}
            pointer={pointer}
            disabled={disabled}
          />
        </Suspense>
      )}
      {schedule.length > 0 && (
        <Text size="xs" c="dimmed">
          Times are in {displayZone().name}. Each step is made by itself and appears in the history.
        </Text>
      )}
      <Group gap="xs">
        <AddButton disabled={disabled || schedule.length >= 50} onClick={add}>
          Schedule a change
        </AddButton>
        {actions}
      </Group>
    </Stack>
  );
}

/** An empty schedule is left out, with what decides about its steps. */
function withSchedule({ schedule: _, ...rollout }: Rollout, steps: Step[]): Rollout {
  return steps.length === 0 ? withoutGuardrails(rollout) : { ...rollout, schedule: steps };
}
