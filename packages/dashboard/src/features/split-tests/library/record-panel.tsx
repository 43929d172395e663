import { Skeleton } from '@mantine/core';
import { StatTile } from '../../../ui/charts/stat-tile.tsx';
import { formatCount, formatPercent, plural } from '../../../ui/format/format.ts';
import { Panel } from '../../../ui/page/panel.tsx';
import classes from './library.module.css';
import type { Record } from './library-types.ts';
import { ShippedGoals } from './shipped-goals.tsx';

/** How often ideas win, how large effects are, and what they brought. */
export function RecordPanel({ record }: { record: Record | undefined }) {
  return (
    <Panel
      title="What finished tests say"
      hint={
        <>
          {record &&
            `Of the ${record.counted === 1 ? 'latest test' : `latest ${formatCount(record.counted)} tests`}. `}
          <a href="/docs/guides/learning" target="_blank" rel="noreferrer">
            How to read it
          </a>
        </>
      }
    >
      {record === undefined ? (
        <Skeleton height={160} role="status" aria-label="Loading the record" />
      ) : (
        <>
          <p className={classes.words}>{record.words}</p>
          <Tiles record={record} />
          <ShippedGoals record={record} />
        </>
      )}
    </Panel>
  );
}

function Tiles({ record }: { record: Record }) {
  const { shipped, decided, better, worse, inconclusive, usualEffect, usualDays, usualVisitors } = record;
  const compared = better + worse + inconclusive;
  const share = (part: number, all: number) => (all > 0 ? formatPercent(part / all) : '–');
  return (
    <div className={classes.tiles}>
      <StatTile label={`Shipped, of ${formatCount(decided)} decided`} value={share(shipped, decided)} />
      <StatTile label={`Proven better, of ${plural(compared, 'test')}`} value={share(better, compared)} />
      <StatTile
        label="Usual effect, observed"
        value={usualEffect === null ? '–' : `± ${formatPercent(usualEffect)}`}
      />
      <StatTile
        label="Usual duration"
        value={usualDays === null ? '–' : plural(Math.max(1, Math.round(usualDays)), 'day')}
      />
      <StatTile
        label="Usual visitors"
        value={usualVisitors === null ? '–' : formatCount(Math.round(usualVisitors))}
      />
    </div>
  );
}
