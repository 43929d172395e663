import { Skeleton } from '@mantine/core';
import { FigureError } from '../../ui/page/late-figures.tsx';
import { OUTCOME_WORDS } from './split-test-facts.ts';
import type { ListedTest } from './use-split-test-list.ts';
import { decisionWords, upliftOf, urgentVerdict } from './verdict-summary.ts';

const TONE: Record<string, string | undefined> = { ship: 'good', 'roll-back': 'bad', unhealthy: 'warn' };

/** What is known about the primary goal: the uplift and the verdict, or what was decided. */
export function SplitTestOutcome({ listed: { test, results } }: { listed: ListedTest }) {
  if (test.status === 'draft') return null;
  if (results === undefined) {
    return (
      <>
        {test.winner === null ? 'No winner' : `Winner: ${test.winner}`}
        <div className="dimmed">
          {test.decision ? OUTCOME_WORDS[test.decision.outcome] : 'No decision recorded'}
        </div>
      </>
    );
  }
  if (test.goals.length === 0) return <span className="dimmed">No primary goal</span>;
  const { data, error } = results;
  if (data === undefined) {
    if (error) return <FigureError title="Cannot load the results" error={error} />;
    return <Skeleton height={18} width={140} role="status" aria-label="Loading the results" />;
  }
  const verdict = urgentVerdict(data);
  if (verdict === null) return <span className="dimmed">No results yet</span>;
  const uplift = verdict.decision === 'collecting' ? undefined : upliftOf(verdict, data);
  return (
    <>
      {uplift && (
        <div>
          <strong className={TONE[verdict.decision]}>{uplift.change}</strong>{' '}
          <span className="dimmed">{uplift.interval}</span>
        </div>
      )}
      <div className={TONE[verdict.decision]}>{decisionWords(verdict, data)}</div>
    </>
  );
}
