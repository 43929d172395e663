import { PropertyLink } from '../../../configuration/property-link.tsx';
import type { ComparedGoal } from '../results-types.ts';
import classes from './goal-list.module.css';

/** The name of a goal, a metric, or the feedback that counts as a goal, as a link. */
export function GoalName({ goal }: { goal: ComparedGoal }) {
  const { name, lowerIsBetter } = goal;
  return (
    <>
      <PropertyLink to={pageOf(goal)}>{name}</PropertyLink>
      {lowerIsBetter && <span className={classes.note}> · lower is better</span>}
    </>
  );
}

function pageOf({ kind, goalId, feedbackTypeId, metricId }: ComparedGoal): string {
  if (kind === 'feedback') return `feedback/types/${encodeURIComponent(feedbackTypeId ?? '')}`;
  if (kind === 'metric') return `metrics/${encodeURIComponent(metricId ?? '')}`;
  return `goals/${encodeURIComponent(goalId)}`;
}
