import { useState } from 'react';
import { Panel } from '../../../ui/page/panel.tsx';
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
  const { mixedVisitors, movedVisitors, goals, method, health } = results;
  const split =
    health.splitPValue === null
      ? 'not known'
      : `p ${formatP(health.splitPValue)}, by what visitors saw first, valid on every day; alarm below 0.001`;
  const terms: [string, string][] = [
    ...methodTerms(method),
    ['Sample ratio', split],
    ['Visitors with several variations', `${mixedVisitors.toLocaleString()}, not counted`],
    ['Visitors moved by a new phase', `${movedVisitors.toLocaleString()}, not counted`],
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
            key={`${goal.goalId}/${metric.metric}/${metric.step ?? ''}`}
            goal={goal}
            metric={metric}
            isBayesian={method.engine === 'bayesian'}
          />
        )),
      )}
    </>
  );
}
