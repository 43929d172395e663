import { NumberField } from '../../../ui/fields/number-field.tsx';
import { OutcomeFields } from '../../outcomes/outcome-fields.tsx';
import { EditorSection } from './editor-section.tsx';
import type { FieldLock } from './field-lock.ts';
import { OnHarmField } from './on-harm-field.tsx';
import type { SplitTestForm } from './use-split-test-form.ts';

export function GoalSection({ form, lock }: { form: SplitTestForm; lock: FieldLock }) {
  const { value, change, errorAt, stored } = form;
  const isLocked = lock.start !== undefined && (stored?.goals.length ?? 0) > 0;
  return (
    <EditorSection title="Goals" hint="How do you tell which variation is better?" locked={lock.definition}>
      <OutcomeFields
        form={form}
        isLocked={isLocked}
        description={isLocked ? lock.start! : 'The verdict is based on it. It cannot change after the start'}
      >
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
      </OutcomeFields>
      {value.goals.length + value.guardrails.length > 0 && <OnHarmField form={form} />}
    </EditorSection>
  );
}
