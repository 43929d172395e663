import { Skeleton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { FigureError } from '../../ui/page/late-figures.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { reportedTests } from '../split-tests/reported-tests.ts';
import { hasOpenResults, phaseWords } from '../split-tests/split-test-facts.ts';
import { TestLink } from '../split-tests/test-link.tsx';
import { verdictQuery } from '../split-tests/verdict-query.ts';
import { type Attention, attentionOf, decisionWords, urgentVerdict } from '../split-tests/verdict-summary.ts';
import classes from './overview-page.module.css';

const ORDER: readonly Attention[] = ['decision', 'problem', 'none'];

/** Tests that need a decision first. */
export function RunningTests() {
  const { propertyId, configuration } = useProperty();
  const open = reportedTests(configuration).filter(hasOpenResults);
  const results = useQueries({ queries: open.map((test) => verdictQuery(propertyId, test)) });
  const listed = open
    .map((test, index) => ({ test, result: results[index]!, attention: attentionOf(results[index]?.data) }))
    .sort((a, b) => ORDER.indexOf(a.attention) - ORDER.indexOf(b.attention));
  return (
    <Panel title="Running split tests" actions={<PropertyLink to="split-tests">View all</PropertyLink>}>
      {listed.length === 0 && (
        <EmptyState
          title="No split test is running"
          action={<PropertyLink to="split-tests?new=1">Create a split test</PropertyLink>}
        >
          A split test shows variations of a page to different visitors and tells which one works better.
        </EmptyState>
      )}
      <ul className={classes.list}>
        {listed.map(({ test, result, attention }) => (
          <li key={test.key}>
            <div className={classes.row}>
              <span>
                <TestLink test={test} />
              </span>
              {test.status === 'paused' && <span className="badge">Paused</span>}
              {attention === 'decision' && (
                <span className={`badge ${classes.decide}`}>Needs a decision</span>
              )}
            </div>
            <div className={classes.row}>
              <Verdict result={result} />
              <span className="dimmed">{phaseWords(test)}</span>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type Result = Pick<
  ReturnType<typeof useQueries<ReturnType<typeof verdictQuery>[]>>[number],
  'data' | 'error'
>;

function Verdict({ result: { data, error } }: { result: Result }) {
  const verdict = data && urgentVerdict(data);
  if (verdict) return <span>{decisionWords(verdict, data)}</span>;
  if (data) return <span className="dimmed">No results yet</span>;
  if (error) return <FigureError title="Cannot load the results" error={error} />;
  return <Skeleton height={16} width={140} role="status" aria-label="Loading the results" />;
}
