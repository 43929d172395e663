import { Group } from '@mantine/core';
import type { FeedbackStatus } from '@switchyard/core/api/feedback';
import { useState } from 'react';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { ErrorAlert } from '../../ui/error-alert.tsx';
import { ReasonButton } from '../../ui/reason-button.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { STATUS_LABELS } from './feedback-filters.ts';
import { type FeedbackEntry, useChangeState } from './use-feedback.ts';

const STATUSES = (Object.keys(STATUS_LABELS) as FeedbackStatus[]).map((value) => ({
  value,
  label: STATUS_LABELS[value],
}));

/** Status and notes of an entry. Both show what is saved, and say why if it could not be. */
export function FeedbackStateForm({ entry }: { entry: FeedbackEntry }) {
  const { may } = useProperty();
  const change = useChangeState(entry.id);
  const [notes, setNotes] = useState(entry.notes ?? '');
  const reason = may('editor') ? undefined : 'You need the editor role';
  const isUnchanged = notes.trim() === (entry.notes ?? '');
  const isSaving = change.isPending;
  return (
    <>
      <ChoiceField
        label="Status"
        options={STATUSES}
        value={entry.status}
        disabled={reason !== undefined}
        // A disabled field would lose the focus.
        onChange={(status) => !isSaving && change.mutate({ status })}
      />
      <TextArea
        label="Notes"
        description="For your team"
        maxLength={4000}
        rows={3}
        value={notes}
        disabled={reason !== undefined}
        onChange={setNotes}
      />
      <ErrorAlert error={change.error} title="Not saved" />
      <Group justify="space-between">
        <span role="status" className="dimmed">
          {reason ?? (isSaving ? 'Saving …' : change.isSuccess && isUnchanged ? 'Saved' : '')}
        </span>
        <ReasonButton
          reason={reason ?? (isUnchanged ? 'The notes are not changed' : undefined)}
          loading={isSaving && change.variables?.notes !== undefined}
          onClick={() => change.mutate({ notes: notes.trim() })}
        >
          Save notes
        </ReasonButton>
      </Group>
    </>
  );
}
