import { useState } from 'react';
import { OptionList } from '../../ui/fields/option-list.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import type { ReviewOutcome } from '../changes/change-request.ts';
import type { Verdict } from '../split-tests/results/results-types.ts';
import { VerdictDialog } from '../split-tests/verdict-dialog.tsx';
import type { MeasuredTest } from './measured-tests.ts';
import { usePromote } from './use-promote.ts';
import { servedWords } from './variation-words.ts';

interface PromoteDialogProps {
  test: MeasuredTest;
  verdict: Verdict | undefined;
  onClose: () => void;
  /** Told when the change waits for approval. */
  onProposed: () => void;
}

/** Asks for the winner and the reason. */
export function PromoteDialog({ test, verdict, onClose, onProposed }: PromoteDialogProps) {
  const promote = usePromote(test);
  const [winner, setWinner] = useState(suggestedWinner(test, verdict));
  const [reason, setReason] = useState(suggestedReason(verdict));
  const submit = async (): Promise<ReviewOutcome> => {
    if (winner === undefined) return { outcome: 'cancelled' };
    const result = await promote(winner, reason.trim());
    if (result.outcome === 'proposed') onProposed();
    return result;
  };
  return (
    <VerdictDialog
      title={`Promote the winner of ${test.name}`}
      verdict={verdict}
      submitLabel="Review"
      isIncomplete={winner === undefined}
      onSubmit={submit}
      onClose={onClose}
    >
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
    </VerdictDialog>
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
