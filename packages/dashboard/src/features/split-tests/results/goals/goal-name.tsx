import { PropertyLink } from '../../../configuration/property-link.tsx';
import type { ComparedGoal } from '../results-types.ts';
import classes from './goal-list.module.css';

/** The name of a goal, or of the feedback that counts as one, as a link; metrics have no page of this kind. */
export function GoalName({ goal }: { goal: ComparedGoal }) {
  const { kind, goalId, feedbackTypeId, name, lowerIsBetter } = goal;
  const to =
    kind === 'feedback'
      ? `feedback/types/${encodeURIComponent(feedbackTypeId ?? '')}`
      : `goals/${encodeURIComponent(goalId)}`;
  return (
    <>
      {kind === 'metric' ? name : <PropertyLink to={to}>{name}</PropertyLink>}
      {lowerIsBetter && <span className={classes.note}> · lower is better</span>}
    </>
  );
}
