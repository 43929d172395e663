import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import type { SplitTestResults } from '@switchyard/core/api/results';
import { useState } from 'react';
import { propertyPath } from '../../api.ts';
import { Form } from '../../ui/fields/form.tsx';
import { OptionList } from '../../ui/fields/option-list.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import type { ReviewOutcome } from '../changes/change-request.ts';
import { useReview } from '../changes/review-context.tsx';
import { useDraft } from '../changes/use-draft.ts';
import { useDraftOutcome } from '../changes/use-draft-outcome.ts';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { hasOpenResults, isInTest, OUTCOME_WORDS, titleOf } from './split-test-facts.ts';
import { type StopDecision, useTransition } from './use-transition.tsx';

type Outcome = NonNullable<SplitTest['decision']>['outcome'];
type Verdict = NonNullable<SplitTestResults['verdict']>;

interface DecisionDialogProps {
  test: SplitTest;
  verdict: Verdict | undefined;
  onClose: () => void;
}

interface DecisionDraft {
  winner: string | null;
  outcome: Outcome | null;
  reason: string;
}

const NO_WINNER = ' ';

/** Asks for winner, outcome and reason; stops the test if it has not ended yet. */
export function DecisionDialog({ test, verdict, onClose }: DecisionDialogProps) {
  useInertBackground();
  const { propertyId } = useProperty();
  const draft = useDraft<DecisionDraft>(
    `${propertyId}/split-tests/${test.key}/winner`,
    draftOf(test, suggestionOf(test, verdict)),
    test.version,
  );
  const { finish, message } = useDraftOutcome(draft, (document) => {
    const decided = { ...test, ...document };
    return draftOf(decided, suggestionOf(decided, undefined));
  });
  const { winner, outcome, reason } = draft.value;
  const decide = useDecide(test, draft.baseVersion);
  // Behind the review sheet, only one of the two can be used.
  const [isReviewing, setReviewing] = useState(false);
  const isOpen = hasOpenResults(test);
  const submit = async () => {
    setReviewing(true);
    const decided = { winner, decision: outcome === null ? null : { outcome, reason } };
    const result = await finish(decide(decided));
    setReviewing(false);
    // What was entered stays when the review is cancelled.
    if (result.outcome === 'saved' || result.outcome === 'proposed') onClose();
  };
  const cancel = () => {
    draft.discard();
    onClose();
  };
  return (
    <Modal
      opened={!isReviewing}
      onClose={onClose}
      title={isOpen ? `Stop ${titleOf(test)}` : `Decide on ${titleOf(test)}`}
    >
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
              ...test.variations.filter(isInTest).map(({ key }, index) => ({
                value: key,
                label: index === 0 && key !== 'control' ? `${key} (control)` : key,
              })),
            ]}
            value={[winner ?? NO_WINNER]}
            onChange={([next]) => draft.change({ winner: next === NO_WINNER ? null : next! })}
          />
          <Select
            label="Decision"
            description="For whoever asks later; it can be recorded at any time"
            data={Object.entries(OUTCOME_WORDS).map(([value, label]) => ({ value, label }))}
            value={outcome}
            onChange={(next) => draft.change({ outcome: next as Outcome | null })}
            clearable
          />
          <TextArea
            label="Reason and learnings"
            disabled={outcome === null}
            description={outcome === null ? 'Choose a decision first' : undefined}
            maxLength={4096}
            rows={2}
            value={reason}
            onChange={(text) => draft.change({ reason: text })}
          />
          {isOpen && <Alert color="orange">A stopped test cannot be started again.</Alert>}
          <p role="status">{message}</p>
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <Button type="submit">{isOpen ? 'Review and stop' : 'Review'}</Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}

const draftOf = ({ decision }: SplitTest, suggested: Omit<DecisionDraft, 'reason'>): DecisionDraft => ({
  ...suggested,
  reason: decision?.reason ?? '',
});

/** What the verdict suggests, or what was decided already. */
function suggestionOf(
  { winner, decision, variations, status }: SplitTest,
  verdict: Verdict | undefined,
): Omit<DecisionDraft, 'reason'> {
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

function useDecide(
  test: SplitTest,
  version: number | undefined,
): (decided: StopDecision) => Promise<ReviewOutcome> {
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
          isWholeDocument: true,
          version,
          item: { type: 'split-test', key: test.key },
        });
}
