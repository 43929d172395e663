import { Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { GoalPaceBar } from '../goals/goal-pace-bar.tsx';
import classes from './overview-page.module.css';

/** Goals with a target, and whether they will reach it. */
export function GoalTargets() {
  const { configuration } = useProperty();
  const goals = configuration.goals.filter(({ target }) => target !== null);
  return (
    <Panel title="Goals against their targets" actions={<PropertyLink to="goals">View all</PropertyLink>}>
      {goals.length === 0 && (
        <p className="dimmed">
          No goal has a target yet. Set one on the page of a goal to see here whether you are on pace.
        </p>
      )}
      <ul className={classes.list}>
        {goals.map((goal) => (
          <li key={goal.id}>
            <PropertyLink to={`goals/${encodeURIComponent(goal.id)}`}>{goal.name}</PropertyLink>
            <GoalPaceBar goal={goal} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
