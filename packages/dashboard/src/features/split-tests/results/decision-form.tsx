import { Button, Group, Select } from '@mantine/core';
import type { DecisionOutcome } from '@switchyard/core/api/provisioned-split-test';
import { useEffect, useState } from 'react';
import { propertyPath } from '../../../api.ts';
import { Form } from '../../../ui/fields/form.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import type { ChangeRequest } from '../../changes/change-request.ts';
import { useReview } from '../../changes/review-context.tsx';
import { useDraft } from '../../changes/use-draft.ts';
import { useDraftOutcome } from '../../changes/use-draft-outcome.ts';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { OUTCOME_WORDS } from '../split-test-facts.ts';
import classes from './decision-panel.module.css';

interface DecisionFormProps {
  test: SplitTest;
  canCancel: boolean;
  /** Told when there is a draft, which stays visible whatever others decide meanwhile. */
  onEdit: () => void;
  onDone: () => void;
}

interface DecisionDraft {
  outcome: DecisionOutcome;
  reason: string;
}

const OPTIONS = Object.entries(OUTCOME_WORDS).map(([value, label]) => ({ value, label }));

/** Records what was decided about a test that has ended. */
export function DecisionForm({ test, canCancel, onEdit, onDone }: DecisionFormProps) {
  const { propertyId } = useProperty();
  const review = useReview();
  const [isChecked, setChecked] = useState(false);
  const draft = useDraft<DecisionDraft>(
    `${propertyId}/split-tests/${test.key}/decision`,
    storedDecision(test),
    test.version,
  );
  const { isDirty } = draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when a draft begins
  useEffect(() => {
    if (isDirty) onEdit();
  }, [isDirty]);
  const { finish, message } = useDraftOutcome(draft, (document) => storedDecision({ ...test, ...document }));
  const { outcome, reason } = draft.value;
  const isReasonMissing = reason.trim() === '';
  const submit = async () => {
    setChecked(true);
    if (isReasonMissing) return;
    const change: ChangeRequest = {
      title: `Record the decision on ${test.name}`,
      method: 'PATCH',
      path: propertyPath(propertyId, 'split-tests', test.key),
      body: { decision: { outcome, reason: reason.trim() } },
      isWholeDocument: true,
      version: draft.baseVersion,
      item: { type: 'split-test', key: test.key },
    };
    const result = await finish(review(change));
    if (result.outcome === 'saved' || result.outcome === 'proposed') onDone();
  };
  const cancel = () => {
    draft.discard();
    onDone();
  };
  return (
    <Form className={classes.form} onSubmit={() => void submit()} noValidate>
      <Select
        label="What was decided"
        allowDeselect={false}
        data={OPTIONS}
        value={outcome}
        onChange={(value) => draft.change({ outcome: value as DecisionOutcome })}
      />
      <TextArea
        label="Why, and what was learnt"
        rows={3}
        maxLength={4096}
        required
        value={reason}
        error={isChecked && isReasonMissing ? 'Say why, for whoever asks later' : undefined}
        onChange={(text) => draft.change({ reason: text })}
      />
      <p role="status">{message}</p>
      <Group gap="xs">
        <Button type="submit">Record decision</Button>
        {canCancel && (
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        )}
      </Group>
    </Form>
  );
}

const storedDecision = ({ decision, winner, variations }: SplitTest): DecisionDraft => ({
  outcome: decision?.outcome ?? (winner && winner !== variations[0]?.key ? 'ship' : 'other'),
  reason: decision?.reason ?? '',
});
