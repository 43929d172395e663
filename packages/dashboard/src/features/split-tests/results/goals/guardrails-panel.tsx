import { Text, Title } from '@mantine/core';
import { Panel } from '../../../../ui/page/panel.tsx';
import type { Results } from '../results-types.ts';
import { StateTag } from '../state-tag.tsx';
import { GoalComparison } from './goal-comparison.tsx';
import classes from './goal-list.module.css';
import { GoalName } from './goal-name.tsx';
import { guardrailStates, worstState } from './goal-states.ts';
import { MeasuredDetails } from './measured-details.tsx';

/** Goals that must not get worse: each is safe, harmed, or does not have enough data yet. */
export function GuardrailsPanel({ results }: { results: Results }) {
  const guardrails = results.goals.filter(({ role }) => role === 'guardrail');
  if (guardrails.length === 0) {
    return (
      <Panel title="Guardrails">
        <Text c="dimmed">This test has no guardrails: nothing else is watched for harm.</Text>
      </Panel>
    );
  }
  return (
    <Panel
      title="Guardrails"
      hint="Goals that must not get worse. They are checked with a test that is valid every day."
    >
      {guardrails.map((goal) => {
        const stateOf = guardrailStates(goal, results);
        const { label, tone } = worstState(goal, stateOf);
        return (
          <div key={goal.goalId} className={classes.goal}>
            <div className={classes.title}>
              <Title order={3}>
                <GoalName goal={goal} />
              </Title>
              <StateTag tone={tone}>{label}</StateTag>
            </div>
            <GoalComparison goal={goal} alpha={results.method.alpha} stateOf={stateOf} />
            <MeasuredDetails goal={goal} />
          </div>
        );
      })}
    </Panel>
  );
}
