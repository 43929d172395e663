import { Button, Group } from '@mantine/core';
import type { FeedbackState, FeedbackStatus } from '@switchyard/core/api/feedback';
import { useRef } from 'react';
import { ChoiceField } from '../../ui/fields/choice-field.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useDraft } from '../changes/use-draft.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { STATUS_LABELS } from './feedback-filters.ts';
import { type FeedbackEntry, useChangeState } from './use-feedback.ts';

const STATUSES = (Object.keys(STATUS_LABELS) as FeedbackStatus[]).map((value) => ({
  value,
  label: STATUS_LABELS[value],
}));

interface FeedbackStateFormProps {
  entry: FeedbackEntry;
  /** Told what was saved. */
  onChanged: (state: FeedbackState) => void;
}

/** Status and notes of an entry. Both show what is saved, and say why if it could not be. */
export function FeedbackStateForm({ entry, onChanged }: FeedbackStateFormProps) {
  const { propertyId, missingRole } = useProperty();
  const change = useChangeState(entry.id, onChanged);
  const draft = useDraft(`${propertyId}/feedback/${entry.id}/notes`, { notes: entry.notes ?? '' });
  const { notes } = draft.value;
  const reason = missingRole('editor');
  const isUnchanged = notes.trim() === (entry.notes ?? '');
  const isSaving = change.isPending;
  const latest = useRef(notes);
  latest.current = notes;
  const saveNotes = async () => {
    await change.mutateAsync({ notes: notes.trim() });
    // What was typed meanwhile stays.
    if (latest.current === notes) draft.discard();
  };
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
        onChange={(text) => draft.change({ notes: text })}
      />
      <ErrorAlert error={change.error} title="Not saved" />
      <Group justify="space-between">
        <span role="status" className="dimmed">
          {reason ??
            (isSaving
              ? 'Saving …'
              : isUnchanged
                ? change.isSuccess && 'Saved'
                : 'Unsaved notes, kept in this browser')}
        </span>
        <Group gap="xs">
          {draft.isDirty && !isSaving && (
            <Button variant="default" onClick={draft.discard}>
              Discard
            </Button>
          )}
          <ReasonButton
            reason={reason ?? (isUnchanged ? 'The notes are not changed' : undefined)}
            loading={isSaving && change.variables?.notes !== undefined}
            onClick={() => saveNotes().catch(() => {})}
          >
            Save notes
          </ReasonButton>
        </Group>
      </Group>
    </>
  );
}
