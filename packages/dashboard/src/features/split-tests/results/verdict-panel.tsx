import type { ReactNode } from 'react';
import { ProgressBar } from '../../../ui/charts/progress-bar.tsx';
import { formatCount } from '../../../ui/format/format.ts';
import { Panel } from '../../../ui/page/panel.tsx';
import { urgentVerdict } from '../verdict-summary.ts';
import { RuleChangeNote } from './decision-rule-panel.tsx';
import type { Results, Verdict } from './results-types.ts';
import { VerdictBadge } from './verdict-badge.tsx';
import classes from './verdict-panel.module.css';

interface VerdictPanelProps {
  results: Results;
  /** What can be done about a verdict right here. */
  actionFor: (verdict: Verdict) => ReactNode;
  /** In place of a verdict, if nothing can be compared. */
  incomparable: ReactNode;
}

/** What the figures say, in words. */
export function VerdictPanel({ results, actionFor, incomparable }: VerdictPanelProps) {
  const verdict = urgentVerdict(results);
  return (
    <Panel title="Verdict">
      {verdict ? (
        <VerdictText
          actionFor={actionFor}
          verdict={verdict}
          others={results.verdicts.filter((it) => it.variation !== verdict.variation)}
          isOver={results.phase?.endedAt != null}
        />
      ) : (
        <p className={classes.text}>{incomparable}</p>
      )}
      <Notes notes={results.notes} />
      <RuleChangeNote results={results} />
    </Panel>
  );
}

/** What a reader should know about the figures. */
function Notes({ notes }: Pick<Results, 'notes'>) {
  if (notes.length === 0) return null;
  return (
    <ul className={classes.notes} aria-label="Notes">
      {notes.map(({ note, words }) => (
        <li key={note}>{words}</li>
      ))}
    </ul>
  );
}

interface VerdictTextProps extends Pick<VerdictPanelProps, 'actionFor'> {
  verdict: Verdict;
  others: readonly Verdict[];
  isOver: boolean;
}

function VerdictText({ actionFor, verdict, others, isOver }: VerdictTextProps) {
  const { decision, sentences, collecting } = verdict;
  // Health and progress are the same for all variations.
  const concernsAll = decision === 'unhealthy' || decision === 'collecting';
  return (
    <>
      <p className={classes.decision}>
        <VerdictBadge decision={decision} isOver={isOver} />
        {/* The next panel explains what is wrong. */}
        {decision === 'unhealthy' ? 'The data is not reliable, so there is no decision.' : sentences.decision}
      </p>
      {collecting && <CollectingProgress {...collecting} />}
      <p className={classes.text}>
        {sentences.primary} {sentences.guardrails}
      </p>
      <p className={classes.text}>
        <strong>{sentences.next}</strong>
      </p>
      {!isOver && actionFor(verdict)}
      {!concernsAll && others.length > 0 && (
        <ul className={classes.others} aria-label="Other variations">
          {others.map((other) => (
            <li key={other.variation}>
              <VerdictBadge decision={other.decision} isOver={isOver} />
              {other.sentences.decision}
              {!isOver && actionFor(other)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function CollectingProgress({ conversions, required }: NonNullable<Verdict['collecting']>) {
  const text = `${formatCount(conversions)} of ${formatCount(required)} conversions`;
  return (
    <div className={classes.progress}>
      <ProgressBar share={conversions / required} label={text} />
    </div>
  );
}
