import '../../ui/style/mantine-form-styles.ts';
import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { GuardrailFields } from './guardrail-fields.tsx';
import classes from './outcome-fields.module.css';
import type { OutcomeForm } from './outcome-form.ts';
import { labels, OutcomeList, outcomesOf } from './outcome-list.tsx';
import { type Guardrail, type Outcome, outcomeId, outcomeOptions, outcomeValue } from './outcome-options.ts';

interface OutcomeFieldsProps {
  form: OutcomeForm;
  /** About the primary goal. */
  description: string;
  /** The primary goal cannot change; `description` says why. */
  isLocked?: boolean;
  disabled?: boolean;
  /** Beside the primary goal. */
  children?: ReactNode;
}

/** By which goals variations are compared, and what must not get worse. */
export function OutcomeFields(props: OutcomeFieldsProps) {
  const { form, description, isLocked = false, disabled = false, children } = props;
  const options = outcomeOptions(useProperty().configuration);
  const { value, change, errorAt } = form;
  const [primary, ...secondary] = value.goals;
  /** What is not measured in another field. */
  const available = (...used: (Outcome | Guardrail | undefined)[]) => {
    const ids = new Set(used.flatMap((each) => (each === undefined ? [] : outcomeId(each))));
    return options.filter(({ id }) => !ids.has(id));
  };
  const setGoals = (first: Outcome | undefined, others: readonly Outcome[]) =>
    change({ goals: first === undefined ? [...others] : [first, ...others] });
  if (options.length === 0) {
    return (
      <p>
        This property has no goals yet. First <PropertyLink to="goals">create a goal</PropertyLink>, or{' '}
        <PropertyLink to="metrics">a metric</PropertyLink> of page views, which needs no code; your draft is
        kept.
      </p>
    );
  }
  return (
    <>
      <div className={classes.columns}>
        <Select
          label="Primary goal"
          description={description}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="Choose a goal"
          data={labels(available(...secondary, ...value.guardrails))}
          value={primary === undefined ? null : outcomeValue(primary)}
          onChange={(next) => setGoals(outcomesOf(options, next === null ? [] : [next])[0], secondary)}
          disabled={isLocked || disabled}
          searchable
          error={primaryError(value.goals, errorAt)}
        />
        {children}
      </div>
      <OutcomeList
        label="Secondary goals"
        description={
          primary === undefined ? 'Choose the primary goal first' : 'Also reported, but they decide nothing'
        }
        options={available(primary, ...value.guardrails)}
        value={secondary}
        onChange={(next) => setGoals(primary, next)}
        error={value.goals.length > 1 ? errorAt('/goals') : undefined}
        disabled={primary === undefined || disabled}
      />
      <GuardrailFields form={form} options={available(...value.goals)} disabled={disabled} />
    </>
  );
}

/** About the list as a whole, it is shown here unless there are secondary goals. */
function primaryError(goals: readonly Outcome[], errorAt: OutcomeForm['errorAt']): string | undefined {
  if (goals.length === 0) return errorAt('/goals') && 'Choose a goal';
  return errorAt('/goals/0') ?? (goals.length === 1 ? errorAt('/goals') : undefined);
}
