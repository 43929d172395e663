import { Stack } from '@mantine/core';
import type { Measure, Rule } from '@switchyard/core/api/targeting';
import { useProperty } from '../../configuration/property-context.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { OutcomeFields } from '../../outcomes/outcome-fields.tsx';
import { PlanFields } from '../../outcomes/plan-fields.tsx';
import { measuredBy, ruleDivision, withMeasure } from './measure-draft.ts';
import classes from './measure-section.module.css';

interface MeasureFieldsProps {
  rule: Rule;
  measure: Measure;
  onChange: (rule: Rule) => void;
  errors: (pointer: string) => string | undefined;
  /** JSON pointer of the measure. */
  pointer: string;
  disabled: boolean;
}

/** By what a rule is measured, and who is compared with whom. */
export function MeasureFields({ rule, measure, onChange, errors, pointer, disabled }: MeasureFieldsProps) {
  const value = measuredBy(measure);
  const form = {
    value,
    change: (changes: Partial<typeof value>) => onChange(withMeasure(rule, { ...value, ...changes })),
    errorAt: (field: string) => errors(pointer + field),
  };
  const hasAudience = (rule.conditions ?? []).length > 0;
  return (
    <Stack gap="sm" className={classes.fields}>
      <p>{rule.split === undefined ? ROLLOUT_WORDS : SPLIT_WORDS}</p>
      <OutcomeFields form={form} description="The verdict is based on it" disabled={disabled} />
      <PlanFields
        form={form}
        division={ruleDivision(rule)}
        hasAudience={hasAudience}
        whereTo="In all variations together; the results are evaluated up to there. Empty: open end"
        disabled={disabled}
      />
      <Recording />
    </Stack>
  );
}

const ROLLOUT_WORDS =
  'Those inside of the percentage (on) are compared with those who match, but are outside (off): they get what comes after the rule, and are the control.';
const SPLIT_WORDS =
  'The first value is the control: those who get another one are compared with those who get the first.';

/** Who is counted. */
function Recording() {
  const { recordEvaluations } = useProperty().configuration.property;
  return (
    <p className="dimmed">
      Whoever your code evaluates the flag for is counted: if only some pages ask for it, the plan above takes
      longer. The Node SDK reports it by itself; evaluations by the service count{' '}
      {recordEvaluations ? 'unless the request says no, by a ' : 'if the request says so, or always by a '}
      <PropertyLink to="settings" search={{ tab: 'statistics' }}>
        setting
      </PropertyLink>
      .{' '}
      <a href="/docs/guides/measured-flags#who-counts" target="_blank" rel="noreferrer">
        Who counts
      </a>
    </p>
  );
}
