import { Title } from '@mantine/core';
import { Panel } from '../../../ui/page/panel.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { testSearch } from './health-links.ts';
import { ResultSessions } from './result-sessions.tsx';
import type { Results } from './results-types.ts';
import classes from './sessions-panel.module.css';

/** Sessions to look into: of visitors who converted, and of those who did not. */
export function SessionsPanel({ results }: { results: Results }) {
  // Sessions are found by goal, not by feedback or metric.
  const goal = results.goals.find(({ kind }) => kind !== 'feedback' && kind !== 'metric');
  const inTest = testSearch(results);
  const lists = goal
    ? [
        { title: 'Converted', search: { ...inTest, goalId: goal.goalId, converted: 'true' } },
        { title: 'Not converted', search: { ...inTest, goalId: goal.goalId, converted: 'false' } },
      ]
    : [{ title: 'Latest', search: inTest }];
  return (
    <Panel
      title="Sessions"
      hint={`${goal ? `Visitors who reached “${goal.name}” after they saw the test, and those who did not. ` : ''}Each opens at the exposure.`}
    >
      <div className={classes.lists}>
        {lists.map(({ title, search }) => (
          <section key={title} aria-label={title}>
            <Title order={3}>{title}</Title>
            <ResultSessions title={title} search={search} />
            <PropertyLink to="sessions" search={search}>
              {title === 'Latest' ? 'All sessions of this test' : `All sessions: ${title.toLowerCase()}`}
            </PropertyLink>
          </section>
        ))}
      </div>
    </Panel>
  );
}
