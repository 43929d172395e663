import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { SplitTestResults } from '@switchyard/core/api/results';
import { useState } from 'react';
import { Form } from '../../ui/fields/form.tsx';
import { OptionList } from '../../ui/fields/option-list.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import type { MeasuredTest } from './measured-tests.ts';
import { usePromote } from './use-promote.ts';
import { servedWords } from './variation-words.ts';

type Verdict = NonNullable<SplitTestResults['verdict']>;

interface PromoteDialogProps {
  test: MeasuredTest;
  verdict: Verdict | undefined;
  onClose: () => void;
  /** Told when the change waits for approval. */
  onProposed: () => void;
}

/** Asks for the winner and the reason. */
export function PromoteDialog({ test, verdict, onClose, onProposed }: PromoteDialogProps) {
  useInertBackground();
  const promote = usePromote(test);
  const [winner, setWinner] = useState(suggestedWinner(test, verdict));
  const [reason, setReason] = useState(suggestedReason(verdict));
  // Behind the review sheet, only one of the two can be used.
  const [isReviewing, setReviewing] = useState(false);
  const submit = async () => {
    if (winner === undefined) return;
    setReviewing(true);
    const { outcome } = await promote(winner, reason.trim());
    setReviewing(false);
    if (outcome === 'proposed') onProposed();
    // What was entered stays when the review is cancelled.
    if (outcome === 'saved' || outcome === 'proposed') onClose();
  };
  return (
    <Modal opened={!isReviewing} onClose={onClose} title={`Promote the winner of ${test.name}`}>
      <Form onSubmit={() => void submit()}>
        <Stack>
          {verdict && (
            <Text size="sm" c="dimmed">
              {verdict.words}
            </Text>
          )}
          <OptionList
            label="Winner"
            description="Everybody who matches the rule gets it from then on"
            options={test.variations.map(({ key }, index) => ({
              value: key,
              label: index === 0 ? `${key} (control)` : key,
              description: servedWords(test, key),
            }))}
            value={winner === undefined ? [] : [winner]}
            onChange={([next]) => setWinner(next)}
          />
          <TextArea
            label="Decision and reason"
            description="For whoever asks later; the history has it"
            maxLength={500}
            rows={3}
            value={reason}
            onChange={setReason}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={winner === undefined}>
              Review
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}

/** Undefined: the figures do not say. */
function suggestedWinner({ variations }: MeasuredTest, verdict: Verdict | undefined): string | undefined {
  if (verdict?.decision === 'ship') return verdict.variation;
  return verdict?.decision === 'roll-back' && variations.length === 2 ? variations[0]?.key : undefined;
}

const DECISIONS: readonly Verdict['decision'][] = ['ship', 'roll-back', 'no-difference'];

const suggestedReason = (verdict: Verdict | undefined): string =>
  verdict && DECISIONS.includes(verdict.decision) ? verdict.sentences.decision : '';
