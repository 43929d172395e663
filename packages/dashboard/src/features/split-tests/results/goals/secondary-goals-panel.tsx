import { Button, Title } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../../../../ui/format/format.ts';
import { Panel } from '../../../../ui/page/panel.tsx';
import type { Results } from '../results-types.ts';
import { GoalComparison } from './goal-comparison.tsx';
import classes from './goal-list.module.css';
import { GoalName } from './goal-name.tsx';
import { cautionOf } from './goal-states.ts';
import { MeasuredDetails } from './measured-details.tsx';

/** A test can have a hundred goals. */
const FIRST = 8;

/** Goals that explain the result, but do not decide it. */
export function SecondaryGoalsPanel({ results }: { results: Results }) {
  const [isAll, setAll] = useState(false);
  const goals = results.goals.filter(({ role }) => role === 'secondary');
  if (goals.length === 0) return null;
  const caution = cautionOf(results);
  return (
    <Panel title="Secondary goals" hint="They explain the result, but do not decide it.">
      {(isAll ? goals : goals.slice(0, FIRST)).map((goal) => (
        <div key={goal.goalId} className={classes.goal}>
          <div className={classes.title}>
            <Title order={3}>
              <GoalName goal={goal} />
            </Title>
          </div>
          <GoalComparison
            goal={goal}
            alpha={results.method.alpha}
            {...(caution && { stateOf: () => caution })}
          />
          <MeasuredDetails goal={goal} />
        </div>
      ))}
      {!isAll && goals.length > FIRST && (
        <Button mt="sm" size="xs" variant="default" onClick={() => setAll(true)}>
          Show all {formatCount(goals.length)} goals
        </Button>
      )}
    </Panel>
  );
}
