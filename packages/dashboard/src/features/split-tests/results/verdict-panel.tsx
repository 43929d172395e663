import { ProgressBar } from '../../../ui/charts/progress-bar.tsx';
import { formatCount } from '../../../ui/format/format.ts';
import { Panel } from '../../../ui/page/panel.tsx';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { RetireButton } from '../retire-button.tsx';
import { isToRetire } from '../split-test-facts.ts';
import { urgentVerdict } from '../verdict-summary.ts';
import { RuleChangeNote } from './decision-rule-panel.tsx';
import type { Results, Verdict } from './results-types.ts';
import { VerdictBadge } from './verdict-badge.tsx';
import classes from './verdict-panel.module.css';

/** What the figures say, in words. */
export function VerdictPanel({ test, results }: { test: SplitTest; results: Results }) {
  const verdict = urgentVerdict(results);
  return (
    <Panel title="Verdict">
      {verdict ? (
        <VerdictText
          test={test}
          verdict={verdict}
          others={results.verdicts.filter((it) => it.variation !== verdict.variation)}
          isOver={results.phase?.endedAt != null}
        />
      ) : (
        <NoVerdict test={test} />
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

interface VerdictTextProps {
  test: SplitTest;
  verdict: Verdict;
  others: readonly Verdict[];
  isOver: boolean;
}

function VerdictText({ test, verdict, others, isOver }: VerdictTextProps) {
  const { decision, sentences, collecting } = verdict;
  // Health and progress are the same for all variations.
  const concernsAll = decision === 'unhealthy' || decision === 'collecting';
  const retire = (each: Verdict) =>
    !isOver &&
    isToRetire(test, each) && <RetireButton size="compact-sm" test={test} variation={each.variation} />;
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
      {retire(verdict)}
      {!concernsAll && others.length > 0 && (
        <ul className={classes.others} aria-label="Other variations">
          {others.map((other) => (
            <li key={other.variation}>
              <VerdictBadge decision={other.decision} isOver={isOver} />
              {other.sentences.decision}
              {retire(other)}
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

function NoVerdict({ test }: { test: SplitTest }) {
  const isAlone = test.variations.length < 2;
  return (
    <p className={classes.text}>
      {isAlone
        ? 'A verdict compares variations with the control, and this test has only one variation.'
        : 'This test has no primary goal, so there is nothing to decide by.'}{' '}
      {test.status !== 'stopped' && test.status !== 'archived' && (
        <PropertyLink to={`split-tests/${encodeURIComponent(test.key)}`} search={{ tab: 'edit' }}>
          {isAlone ? 'Add a variation' : 'Choose a goal'}
        </PropertyLink>
      )}
    </p>
  );
}
