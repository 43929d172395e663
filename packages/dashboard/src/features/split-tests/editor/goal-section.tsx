import '../../../ui/style/mantine-form-styles.ts';
import { Select } from '@mantine/core';
import { NumberField } from '../../../ui/fields/number-field.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import classes from './editor.module.css';
import { EditorSection } from './editor-section.tsx';
import type { FieldLock } from './field-lock.ts';
import { GuardrailFields } from './guardrail-fields.tsx';
import { OnHarmField } from './on-harm-field.tsx';
import { labels, OutcomeList, outcomesOf } from './outcome-list.tsx';
import { type Guardrail, type Outcome, outcomeId, outcomeOptions, outcomeValue } from './outcome-options.ts';
import type { SplitTestForm } from './use-split-test-form.ts';

export function GoalSection({ form, lock }: { form: SplitTestForm; lock: FieldLock }) {
  const options = outcomeOptions(useProperty().configuration);
  const { value, change, errorAt, stored } = form;
  const [primary, ...secondary] = value.goals;
  const isLocked = lock.start !== undefined && (stored?.goals.length ?? 0) > 0;
  /** What is not measured in another field. */
  const available = (...used: (Outcome | Guardrail | undefined)[]) => {
    const ids = new Set(used.flatMap((each) => (each === undefined ? [] : outcomeId(each))));
    return options.filter(({ id }) => !ids.has(id));
  };
  const setGoals = (first: Outcome | undefined, others: readonly Outcome[]) =>
    change({ goals: first === undefined ? [...others] : [first, ...others] });
  if (options.length === 0) {
    return (
      <EditorSection title="Goals" locked={lock.definition}>
        <p>
          This property has no goals yet. <PropertyLink to="goals">Create a goal</PropertyLink> first; your
          draft is kept.
        </p>
      </EditorSection>
    );
  }
  return (
    <EditorSection title="Goals" hint="How do you tell which variation is better?" locked={lock.definition}>
      <div className={classes.columns}>
        <Select
          label="Primary goal"
          description={isLocked ? lock.start : 'The verdict is based on it. It cannot change after the start'}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="Choose a goal"
          data={labels(available(...secondary, ...value.guardrails))}
          value={primary === undefined ? null : outcomeValue(primary)}
          onChange={(next) => setGoals(outcomesOf(options, next === null ? [] : [next])[0], secondary)}
          disabled={isLocked}
          searchable
          error={errorAt('/goals/0') ?? (value.goals.length < 2 ? errorAt('/goals') : undefined)}
        />
        <NumberField
          label="Attribution after the end"
          description="How long conversions still count after the test has ended"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          unit="days"
          isWhole
          value={value.attributionDays}
          onChange={(days) => change({ attributionDays: days ?? 0 })}
          error={errorAt('/attributionDays')}
        />
      </div>
      <OutcomeList
        label="Secondary goals"
        description="Also reported, but they decide nothing"
        options={available(primary, ...value.guardrails)}
        value={secondary}
        onChange={(next) => setGoals(primary, next)}
        error={value.goals.length > 1 ? errorAt('/goals') : undefined}
        disabled={primary === undefined}
      />
      <GuardrailFields form={form} options={available(...value.goals)} />
      {value.goals.length + value.guardrails.length > 0 && <OnHarmField form={form} />}
    </EditorSection>
  );
}
