import { Alert, Select } from '@mantine/core';
import { propertyPath } from '../../api.ts';
import { OptionList } from '../../ui/fields/option-list.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import type { ReviewOutcome } from '../changes/change-request.ts';
import { useReview } from '../changes/review-context.tsx';
import { useDraft } from '../changes/use-draft.ts';
import { useDraftOutcome } from '../changes/use-draft-outcome.ts';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { Verdict } from './results/results-types.ts';
import { hasOpenResults, isInTest, OUTCOME_WORDS, titleOf } from './split-test-facts.ts';
import { type StopDecision, useTransition } from './use-transition.tsx';
import { VerdictDialog } from './verdict-dialog.tsx';

type Outcome = NonNullable<SplitTest['decision']>['outcome'];

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
  const isOpen = hasOpenResults(test);
  const submit = () => finish(decide({ winner, decision: outcome === null ? null : { outcome, reason } }));
  const cancel = () => {
    draft.discard();
    onClose();
  };
  return (
    <VerdictDialog
      title={isOpen ? `Stop ${titleOf(test)}` : `Decide on ${titleOf(test)}`}
      verdict={verdict}
      submitLabel={isOpen ? 'Review and stop' : 'Review'}
      onSubmit={submit}
      onCancel={cancel}
      onClose={onClose}
    >
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
    </VerdictDialog>
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
