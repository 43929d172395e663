import { Alert, Group, Input, Textarea } from '@mantine/core';
import type { FeedbackStatus } from '@switchyard/core/api/feedback';
import { useId, useState } from 'react';
import { messageOf } from '../../api.ts';
import { Choice } from '../../ui/choice.tsx';
import { ReasonButton } from '../../ui/reason-button.tsx';
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
  const statusId = useId();
  const reason = may('editor') ? undefined : 'You need the editor role';
  const isUnchanged = notes.trim() === (entry.notes ?? '');
  const isSaving = change.isPending;
  return (
    <>
      <Input.Wrapper label="Status" labelElement="div" labelProps={{ id: statusId }}>
        <div>
          <Choice
            labelledBy={statusId}
            options={STATUSES}
            value={entry.status}
            disabled={reason !== undefined}
            // A disabled field would lose the focus.
            onChange={(status) => !isSaving && change.mutate({ status })}
          />
        </div>
      </Input.Wrapper>
      <Textarea
        label="Notes"
        description="For your team"
        maxLength={4000}
        autosize
        minRows={3}
        maxRows={12}
        value={notes}
        disabled={reason !== undefined}
        onChange={(event) => setNotes(event.currentTarget.value)}
      />
      {change.error && (
        <Alert color="red" role="alert" title="Not saved">
          {messageOf(change.error)}
        </Alert>
      )}
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
