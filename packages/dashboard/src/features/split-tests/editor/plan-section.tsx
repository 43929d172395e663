import { PlanFields } from '../../outcomes/plan-fields.tsx';
import { EditorSection } from './editor-section.tsx';
import { plannedDivision } from './planned-division.ts';
import type { SplitTestForm } from './use-split-test-form.ts';

/** How long the test takes to find a change that matters. */
export function PlanSection({ form, locked }: { form: SplitTestForm; locked: string | undefined }) {
  const { value } = form;
  const division = plannedDivision(value);
  return (
    <EditorSection
      title="Plan"
      hint="How many visitors does the test need? Calculated from your traffic of the last 28 days."
      locked={locked}
    >
      <PlanFields
        form={form}
        division={division}
        hasAudience={Boolean(value.audience)}
        whereTo="In all variations together; the test is evaluated up to there. Empty: open end"
      />
    </EditorSection>
  );
}
