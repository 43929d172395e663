import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ProgressBar } from '../../ui/charts/progress-bar.tsx';
import { FigureError } from '../../ui/page/late-figures.tsx';
import type { Goal } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { paceOf } from './goal-pace.ts';
import classes from './goal-pace-bar.module.css';
import { targetQuery } from './target-query.ts';

interface GoalPaceBarProps {
  goal: Goal;
  isWanted?: boolean;
}

/** How a goal stands against its target, in words and as a bar. Nothing without a target. */
export function GoalPaceBar({ goal, isWanted = true }: GoalPaceBarProps) {
  const { propertyId, configuration } = useProperty();
  const { data, error } = useQuery({
    ...targetQuery(propertyId, goal),
    enabled: isWanted && goal.target !== null,
  });
  const currency = configuration.property.displayCurrency ?? 'USD';
  const pace = data && paceOf(goal, data.current.total, Date.now(), currency);
  if (goal.target === null) return null;
  if (pace === undefined) {
    if (error) return <FigureError title="Not known" error={error} />;
    return <Skeleton height={14} width={140} role="status" aria-label="Loading the target" />;
  }
  return (
    <div>
      <span className={pace.isOnPace ? 'good' : 'warn'}>{pace.words}</span>
      <div className={classes.bar}>
        <ProgressBar share={pace.share} color={pace.isOnPace ? 'good' : 'warn'} />
      </div>
    </div>
  );
}
