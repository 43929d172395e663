import { formatCount, formatDate, formatMoney, plural } from '../../../ui/format/format.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { StateTag, type Tone } from '../results/state-tag.tsx';
import { TestLink } from '../test-link.tsx';
import classes from './library.module.css';
import { type FinishedTest, outcomeLabel } from './library-types.ts';

const TONES: Record<FinishedTest['outcome'], Tone> = {
  ship: 'good',
  'roll-back': 'bad',
  'no-difference': 'dimmed',
  other: 'dimmed',
  undecided: 'warn',
};

/** What was asked, what came out and what was decided. */
export function FinishedTestEntry({ test }: { test: FinishedTest }) {
  const { splitTestKey, hypothesis, description, outcome, decision, winner, words, tags, owner } = test;
  const question = hypothesis ?? description;
  return (
    <li className={classes.entry}>
      <div className={classes.head}>
        <span>
          <TestLink test={{ ...test, key: splitTestKey }} />
        </span>
        <StateTag tone={TONES[outcome]}>{outcomeLabel(outcome)}</StateTag>
        {outcome === 'ship' && winner !== null && <span className="dimmed">{winner}</span>}
      </div>
      {question && <p className={classes.question}>{question}</p>}
      <p>{words}</p>
      {decision && <p className={classes.reason}>Decided: {decision.reason}</p>}
      <p className={classes.facts}>
        <Facts test={test} />
        {owner && <span>{owner}</span>}
        {tags.map((tag) => (
          <span key={tag} className="badge">
            {tag}
          </span>
        ))}
      </p>
    </li>
  );
}

/** When it ran, and what it cost. */
function Facts({ test: { startedAt, endedAt, days, figures } }: { test: FinishedTest }) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  // A difference that may be chance would only look like a cost.
  const isProven = figures?.effects.some(({ finding }) => finding !== 'inconclusive');
  const cost = isProven ? figures?.whileRunning : undefined;
  return (
    <>
      <span>
        {formatDate(startedAt)} – {formatDate(endedAt)}
      </span>
      <span>{plural(Math.max(1, Math.round(days)), 'day')}</span>
      {figures && <span>{plural(figures.visitors, 'visitor')}</span>}
      {figures?.healthy && cost && (
        <span title="What the visitors of the test brought more, or less, than if all of them had seen the control">
          {cost.estimate < 0 ? '−' : '+'}
          {cost.unit === 'dollars'
            ? formatMoney(Math.abs(cost.estimate), currency)
            : `${formatCount(Math.round(Math.abs(cost.estimate)))} converted`}{' '}
          while it ran
        </span>
      )}
    </>
  );
}
