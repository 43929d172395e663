import { sampleRatio } from '@switchyard/core/stats/sample-ratio';
import { useState } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import { methodTerms } from './method-words.ts';
import type { Results } from './results-types.ts';
import classes from './statistics-panel.module.css';
import { formatP, StatisticsTable } from './statistics-table.tsx';

/** Method, p-values and intervals, for those who want to check; folded. */
export function StatisticsPanel({ results }: { results: Results }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel title="Statistics">
      <details className={classes.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Method, p-values and intervals</summary>
        {isOpen && <Statistics results={results} />}
      </details>
    </Panel>
  );
}

function Statistics({ results }: { results: Results }) {
  const { variations, mixedVisitors, goals, method } = results;
  const ratio = sampleRatio(
    variations.map(({ visitors }) => visitors),
    variations.map(({ weight }) => weight),
  );
  const split =
    ratio === null
      ? 'not known'
      : `p ${formatP(ratio.pValue)} (chi-square ${ratio.chiSquare.toFixed(2)}, ${ratio.degreesOfFreedom} degrees of freedom; alarm below 0.001)`;
  const terms: [string, string][] = [
    ...methodTerms(method),
    ['Sample ratio', split],
    ['Visitors with several variations', `${mixedVisitors.toLocaleString()}, not counted`],
  ];
  return (
    <>
      <dl className={classes.terms}>
        {terms.map(([term, value]) => (
          <div key={term} style={{ display: 'contents' }}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {goals.flatMap((goal) =>
        goal.metrics.map((metric) => (
          <StatisticsTable
            key={`${goal.goalId}/${metric.metric}`}
            goal={goal}
            metric={metric}
            isBayesian={method.engine === 'bayesian'}
          />
        )),
      )}
    </>
  );
}
