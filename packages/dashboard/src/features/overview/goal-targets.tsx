import { Skeleton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { messageOf } from '../../api.ts';
import { Panel } from '../../ui/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { paceOf } from '../goals/goal-pace.ts';
import { targetQuery } from '../goals/target-query.ts';
import classes from './overview-page.module.css';

/** Goals with a target, and whether they will reach it. */
export function GoalTargets() {
  const { propertyId, configuration } = useProperty();
  const currency = configuration.property.displayCurrency ?? 'USD';
  const goals = configuration.goals.filter(({ target }) => target !== null);
  const results = useQueries({ queries: goals.map((goal) => targetQuery(propertyId, goal)) });
  return (
    <Panel title="Goals against their targets" actions={<PropertyLink to="goals">View all</PropertyLink>}>
      {goals.length === 0 && (
        <p className="dimmed">
          No goal has a target yet. Set one on the page of a goal to see here whether you are on pace.
        </p>
      )}
      <ul className={classes.list}>
        {goals.map((goal, index) => {
          const { data, error } = results[index]!;
          const pace = data && paceOf(goal, data.current.total, Date.now(), currency);
          return (
            <li key={goal.id}>
              <div className={classes.row}>
                <PropertyLink to={`goals/${encodeURIComponent(goal.id)}`}>{goal.name}</PropertyLink>
                {pace && <span className={pace.isOnPace ? 'good' : 'warn'}>{pace.words}</span>}
                {!pace && error && <span className="bad">{messageOf(error)}</span>}
              </div>
              {pace ? (
                <div className={classes.bar}>
                  <div
                    className={classes.fill}
                    data-behind={!pace.isOnPace}
                    style={{ width: `${Math.min(Math.max(pace.share, 0), 1) * 100}%` }}
                  />
                </div>
              ) : (
                !error && <Skeleton height={6} mt={6} role="status" aria-label={`Loading ${goal.name}`} />
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
