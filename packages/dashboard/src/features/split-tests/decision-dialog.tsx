import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import type { SplitTestResults } from '@switchyard/core/api/results';
import { useState } from 'react';
import { propertyPath } from '../../api.ts';
import { Form } from '../../ui/form.tsx';
import { OptionList } from '../../ui/option-list.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import type { ReviewOutcome } from '../changes/change-request.ts';
import { useReview } from '../changes/review-context.tsx';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { hasOpenResults, OUTCOME_WORDS, titleOf } from './split-test-facts.ts';
import { type StopDecision, useTransition } from './use-transition.ts';

type Outcome = NonNullable<SplitTest['decision']>['outcome'];
type Verdict = NonNullable<SplitTestResults['verdict']>;

interface DecisionDialogProps {
  test: SplitTest;
  verdict: Verdict | undefined;
  onClose: () => void;
}

const NO_WINNER = ' ';

/** Asks for winner, outcome and reason; stops the test if it has not ended yet. */
export function DecisionDialog({ test, verdict, onClose }: DecisionDialogProps) {
  const suggested = suggestionOf(test, verdict);
  const [winner, setWinner] = useState(suggested.winner ?? NO_WINNER);
  const [outcome, setOutcome] = useState(suggested.outcome);
  const [reason, setReason] = useState(test.decision?.reason ?? '');
  const decide = useDecide(test);
  const isOpen = hasOpenResults(test);
  const submit = async () => {
    const result = await decide({
      winner: winner === NO_WINNER ? null : winner,
      decision: outcome === null ? null : { outcome, reason },
    });
    // What was entered stays when the review is cancelled.
    if (result.outcome !== 'cancelled') onClose();
  };
  return (
    <Modal opened onClose={onClose} title={isOpen ? `Stop ${titleOf(test)}` : `Decide on ${titleOf(test)}`}>
      <Form onSubmit={() => void submit()}>
        <Stack>
          {verdict && (
            <Text size="sm" c="dimmed">
              {verdict.words}
            </Text>
          )}
          <OptionList
            label="Winner"
            description="Everybody sees the winner from then on"
            options={[
              { value: NO_WINNER, label: 'No winner: everybody sees the original again' },
              ...test.variations.map(({ key }, index) => ({
                value: key,
                label: index === 0 && key !== 'control' ? `${key} (control)` : key,
              })),
            ]}
            value={[winner]}
            onChange={([next]) => setWinner(next!)}
          />
          <Select
            label="Decision"
            description="For whoever asks later; it can be recorded at any time"
            data={Object.entries(OUTCOME_WORDS).map(([value, label]) => ({ value, label }))}
            value={outcome}
            onChange={(next) => setOutcome(next as Outcome | null)}
            clearable
          />
          <TextArea
            label="Reason and learnings"
            disabled={outcome === null}
            description={outcome === null ? 'Choose a decision first' : undefined}
            maxLength={4096}
            rows={2}
            value={reason}
            onChange={setReason}
          />
          {isOpen && <Alert color="orange">A stopped test cannot be started again.</Alert>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">{isOpen ? 'Review and stop' : 'Review'}</Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}

/** What the verdict suggests, or what was decided already. */
function suggestionOf(
  { winner, decision, variations, status }: SplitTest,
  verdict: Verdict | undefined,
): { winner: string | null; outcome: Outcome | null } {
  if (decision !== null || winner !== null) return { winner, outcome: decision?.outcome ?? null };
  if (status === 'archived') return { winner: null, outcome: null };
  switch (verdict?.decision) {
    case 'ship':
      return { winner: verdict.variation, outcome: 'ship' };
    case 'roll-back':
      return { winner: variations[0]?.key ?? null, outcome: 'roll-back' };
    case 'no-difference':
      return { winner: null, outcome: 'no-difference' };
    default:
      return { winner: null, outcome: null };
  }
}

function useDecide(test: SplitTest): (decided: StopDecision) => Promise<ReviewOutcome> {
  const { propertyId } = useProperty();
  const review = useReview();
  const transition = useTransition(test);
  return (decided) =>
    hasOpenResults(test)
      ? transition('stop', decided)
      : review({
          title: `Decide on ${titleOf(test)}`,
          method: 'PATCH',
          path: propertyPath(propertyId, 'split-tests', test.key),
          body: decided,
          version: test.version,
          item: { type: 'split-test', key: test.key },
        });
}
