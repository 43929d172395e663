import type { UseQueryResult } from '@tanstack/react-query';
import { relativeChange, StatTile } from '../../ui/charts/stat-tile.tsx';
import { formatCount, formatTime, plural } from '../../ui/format/format.ts';
import { Loaded } from '../../ui/page/panel.tsx';
import type { Goal } from '../configuration/configuration-types.ts';
import { useGoalFormat } from './goal-format.ts';
import type { Progress } from './goal-query.ts';
import classes from './goal-tiles.module.css';

/** Net, gross and refunds of a goal against the previous period. */
export function GoalTiles({ goal, query }: { goal: Goal; query: UseQueryResult<Progress> }) {
  const format = useGoalFormat(goal);
  const { lowerIsBetter, kind } = goal;
  return (
    <Loaded query={query} what="the progress" height={82}>
      {({ current, previous, bots }) => (
        <>
          <div className={classes.tiles}>
            <StatTile
              label="Net"
              value={format(current.total)}
              change={relativeChange(current.total, previous.total)}
              lowerIsBetter={lowerIsBetter}
            />
            <StatTile
              label="Gross"
              value={format(current.gross)}
              change={relativeChange(current.gross, previous.gross)}
              lowerIsBetter={lowerIsBetter}
            />
            <StatTile
              label="Refunds"
              value={format(current.reversed)}
              change={relativeChange(current.reversed, previous.reversed)}
              lowerIsBetter={!lowerIsBetter}
            />
            {kind === 'revenue' && (
              <StatTile
                label="Conversions"
                value={formatCount(current.increments)}
                change={relativeChange(current.increments, previous.increments)}
                lowerIsBetter={lowerIsBetter}
              />
            )}
          </div>
          <p className={classes.asOf}>
            As of {formatTime(query.dataUpdatedAt)}
            {bots.increments + bots.decrements > 0 &&
              `. ${plural(bots.increments + bots.decrements, 'conversion')} of bots not counted`}
          </p>
        </>
      )}
    </Loaded>
  );
}
