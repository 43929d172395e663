import { Panel } from '../../../../ui/page/panel.tsx';
import type { Results } from '../results-types.ts';
import { GoalComparison } from './goal-comparison.tsx';
import { GoalName } from './goal-name.tsx';
import { cautionOf } from './goal-states.ts';
import { MeasuredDetails } from './measured-details.tsx';

/** The goal that decides the test. */
export function PrimaryGoalPanel({ results }: { results: Results }) {
  const goal = results.goals.find(({ role }) => role === 'primary');
  if (goal === undefined) return null;
  const caution = cautionOf(results);
  return (
    <Panel title="Primary goal" hint={<GoalName goal={goal} />}>
      <GoalComparison goal={goal} alpha={results.method.alpha} {...(caution && { stateOf: () => caution })} />
      <MeasuredDetails goal={goal} />
    </Panel>
  );
}
