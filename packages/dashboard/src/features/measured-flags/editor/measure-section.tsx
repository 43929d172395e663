import { Skeleton, Stack } from '@mantine/core';
import type { Rule } from '@switchyard/core/api/targeting';
import { Suspense, useState } from 'react';
import { Check } from '../../../ui/fields/check.tsx';
import { lazyPart } from '../../../ui/page/lazy-part.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { canBeMeasured, measuredBy, withMeasure, withoutMeasure } from './measure-draft.ts';

/** Few rules are measured. */
const MeasureFields = lazyPart(() => import('./measure-fields.tsx').then((module) => module.MeasureFields));

const FIELDS = ['goals', 'guardrails', 'plannedVisitors', 'smallestEffect'];

interface MeasureSectionProps {
  rule: Rule;
  onChange: (rule: Rule) => void;
  errors: (pointer: string) => string | undefined;
  /** JSON pointer of the rule. */
  pointer: string;
  disabled: boolean;
}

/** Whether a rule is measured like a split test, and by what. */
export function MeasureSection({ rule, onChange, errors, pointer, disabled }: MeasureSectionProps) {
  const { goals } = useProperty().configuration;
  const { measure } = rule;
  // What was entered comes back with the switch.
  const [left, setLeft] = useState(measure);
  if (measure === undefined && !canBeMeasured(rule)) return null;
  const place = `${pointer}/measure`;
  // Other mistakes are shown at their fields.
  const complaint = FIELDS.every((field) => errors(`${place}/${field}`) === undefined) && errors(place);
  const toggle = (isOn: boolean) => {
    setLeft(measure);
    const first = left ?? { goals: goals.length === 1 ? [goals[0]!.id] : [] };
    onChange(isOn ? withMeasure(rule, measuredBy(first)) : withoutMeasure(rule));
  };
  return (
    <Stack gap="xs">
      <Check
        kind="switch"
        label="Measure"
        description="Compares what people do with each value, like a split test: with a verdict, guardrails and a plan"
        checked={measure !== undefined}
        disabled={disabled}
        onChange={toggle}
      />
      {complaint && (
        <p className="bad" role="alert">
          {complaint}
        </p>
      )}
      {measure && (
        <Suspense fallback={<Skeleton height={240} role="status" aria-label="Loading" />}>
          <MeasureFields
            rule={rule}
            measure={measure}
            onChange={onChange}
            errors={errors}
            pointer={place}
            disabled={disabled}
          />
        </Suspense>
      )}
    </Stack>
  );
}
