import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { relativeChange } from '../../ui/charts/stat-tile.tsx';
import { formatChange } from '../../ui/format/format.ts';
import { usePeriod } from '../../ui/hooks/use-period.ts';
import { useWasVisible } from '../../ui/hooks/use-was-visible.ts';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { FigureError } from '../../ui/page/late-figures.tsx';
import { ItemNameCell } from '../changes/item-cells.tsx';
import type { Goal } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { useGoalFormat } from './goal-format.ts';
import { GoalPaceBar } from './goal-pace-bar.tsx';
import { progressQuery } from './goal-query.ts';
import classes from './goal-table.module.css';

export function GoalTable({ goals }: { goals: readonly Goal[] }) {
  return (
    <StackedTable head={['Name', 'Kind', 'This period', 'Previous', 'Change', 'Target']}>
      {goals.map((goal) => (
        <Row key={goal.id} goal={goal} />
      ))}
    </StackedTable>
  );
}

/** Figures are loaded when the row comes into view. */
function Row({ goal }: { goal: Goal }) {
  const { ref, wasVisible } = useWasVisible<HTMLTableRowElement>();
  const { propertyId } = useProperty();
  const [period] = usePeriod();
  const format = useGoalFormat(goal);
  const { data, error } = useQuery({
    ...progressQuery(propertyId, goal.id, period, 'week'),
    enabled: wasVisible,
  });
  const waiting = <Skeleton height={14} width={60} role="status" aria-label="Loading the progress" />;
  return (
    <tr ref={ref}>
      <ItemNameCell list="goals" id={goal.id} name={goal.name} />
      <td data-label="Kind">
        {goal.kind === 'revenue' ? 'Revenue' : 'Count'}
        {goal.lowerIsBetter && ', lower is better'}
      </td>
      {error && data === undefined ? (
        <td data-label="Progress" colSpan={3}>
          <FigureError title="Not known" error={error} />
        </td>
      ) : (
        <>
          <td data-label="Now" className={classes.figure}>
            {data ? <strong>{format(data.current.total)}</strong> : waiting}
          </td>
          <td data-label="Before" className={classes.figure}>
            {data ? format(data.previous.total) : waiting}
          </td>
          <td data-label="Change" className={classes.figure}>
            {data && (
              <Change
                change={relativeChange(data.current.total, data.previous.total)}
                lowerIsBetter={goal.lowerIsBetter}
              />
            )}
          </td>
        </>
      )}
      <td data-label="Target">
        {goal.target === null ? (
          <span className="dimmed">No target</span>
        ) : (
          <GoalPaceBar goal={goal} isWanted={wasVisible} />
        )}
      </td>
    </tr>
  );
}

function Change({ change, lowerIsBetter }: { change: number | null; lowerIsBetter: boolean }) {
  if (change === null) return <span className="dimmed">–</span>;
  const isGood = change > 0 !== lowerIsBetter;
  return <span className={change === 0 ? 'dimmed' : isGood ? 'good' : 'bad'}>{formatChange(change)}</span>;
}
