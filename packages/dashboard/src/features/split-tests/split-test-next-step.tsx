import type { SplitTestResults } from '@switchyard/core/api/results';
import { useQuery } from '@tanstack/react-query';
import { formatDateTime } from '../../ui/format/format.ts';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { conditionsSentence } from '../targeting/condition-sentence.ts';
import { isScheduled, OUTCOME_WORDS } from './split-test-facts.ts';
import { verdictQuery } from './verdict-query.ts';
import { urgentVerdict } from './verdict-summary.ts';

/** Below the title: what to do, or what is going to happen, and who takes part. */
export function SplitTestNextStep({ test }: { test: SplitTest }) {
  const { propertyId } = useProperty();
  const { data } = useQuery(verdictQuery(propertyId, test));
  const key = <code>{test.key}</code>;
  return (
    <>
      {key} · {stepWords(test, data && nextWords(data))}
      {test.audience && <Audience audience={test.audience} />}
    </>
  );
}

/** An audience may have a hundred conditions. */
const MAX_CONDITIONS = 5;

function Audience({ audience: { conditions, match } }: { audience: NonNullable<SplitTest['audience']> }) {
  const { segments } = useProperty().configuration;
  return <div>Audience: {conditionsSentence(conditions, match, segments, MAX_CONDITIONS)}</div>;
}

/** Harm is named along with what to do about it. */
function nextWords(results: SplitTestResults): string | undefined {
  const verdict = urgentVerdict(results);
  if (!verdict) return undefined;
  const { decision, next } = verdict.sentences;
  return verdict.decision === 'roll-back' ? `${decision} ${next}` : next;
}

function stepWords(test: SplitTest, next: string | undefined): string {
  const { status, startAt, stopAt, winner, decision, goals } = test;
  if (status === 'draft') {
    if (isScheduled(test)) return `Starts by itself on ${formatDateTime(startAt!)}.`;
    return goals.length === 0
      ? 'Nobody sees it yet. Choose a primary goal before you start it.'
      : 'Nobody sees it yet.';
  }
  if (status === 'stopped' || status === 'archived') {
    const served = winner === null ? 'Everybody sees the original again' : `Everybody sees “${winner}”`;
    const decided = decision ? `Decision: ${OUTCOME_WORDS[decision.outcome]}.` : 'No decision is recorded.';
    return status === 'archived' ? `Not served any more. ${decided}` : `${served}. ${decided}`;
  }
  const end = stopAt === null ? '' : ` Stops by itself on ${formatDateTime(stopAt)}.`;
  if (status === 'paused') return `Paused: visitors see the original, and nothing is counted.${end}`;
  return `${next ?? 'Running.'}${end}`;
}
