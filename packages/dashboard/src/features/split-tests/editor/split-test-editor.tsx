import { useState } from 'react';
import { Form } from '../../../ui/fields/form.tsx';
import { ChangeProblem } from '../../changes/change-problem.tsx';
import { DraftBar } from '../../changes/draft-bar.tsx';
import type { Draft } from '../../changes/use-draft.ts';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { AudienceSection } from './audience-section.tsx';
import classes from './editor.module.css';
import { useFieldLock } from './field-lock.ts';
import { GoalSection } from './goal-section.tsx';
import { PlanSection } from './plan-section.tsx';
import { ScheduleSection } from './schedule-section.tsx';
import type { SplitTestDraft } from './split-test-draft.ts';
import { useSplitTestForm } from './use-split-test-form.ts';
import { VariationSection } from './variation-section.tsx';
import { WhatSection } from './what-section.tsx';

interface SplitTestEditorProps {
  draft: Draft<SplitTestDraft>;
  /** The saved test; undefined for a new one. */
  stored?: SplitTest;
  onSaved?: (test: SplitTest) => void;
  /** For a copy, which can be saved as it is: leaves the page. */
  onDiscard?: (() => void) | undefined;
}

/** All fields of a split test, in the order in which one thinks about it. */
export function SplitTestEditor({ draft, stored, onSaved, onDiscard }: SplitTestEditorProps) {
  const { may } = useProperty();
  const lock = useFieldLock(stored);
  const form = useSplitTestForm(draft, stored, onSaved);
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    await form.save().finally(() => setSaving(false));
  };
  const blocked = may('editor')
    ? isSaving
      ? 'Checking the change …'
      : undefined
    : 'You need the editor role';
  const discardCopy = () => {
    draft.discard();
    onDiscard?.();
  };
  return (
    <Form className={classes.form} onSubmit={() => {}} noValidate>
      <WhatSection form={form} locked={lock.notes} />
      <VariationSection form={form} lock={lock} />
      <GoalSection form={form} lock={lock} />
      <AudienceSection form={form} locked={lock.definition} />
      <PlanSection form={form} locked={lock.definition} />
      <ScheduleSection form={form} lock={lock} />
      {form.refused && <ChangeProblem problem={form.refused} />}
      {form.openProblems > 0 && (
        <p className="bad" role="alert">
          {form.openProblems === 1 ? 'One field needs' : `${form.openProblems} fields need`} your attention
          before the test can be saved.
        </p>
      )}
      <DraftBar
        draft={onDiscard ? { ...draft, isDirty: true, discard: discardCopy } : draft}
        onSave={() => void save()}
        blocked={blocked}
        message={form.message}
      />
    </Form>
  );
}
