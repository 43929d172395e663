import { formatChange } from '../format/format.ts';
import classes from './stat-tile.module.css';

interface StatTileProps {
  label: string;
  value: string;
  /** Relative change against the previous period; null if there is nothing to compare with. */
  change?: number | null;
  /** For bounce rates and refunds. */
  lowerIsBetter?: boolean;
  /** Makes the tile a button that chooses what a chart shows. */
  onSelect?: () => void;
  selected?: boolean;
}

/** A number with its change against the previous period. */
export function StatTile({ label, value, change, lowerIsBetter, onSelect, selected }: StatTileProps) {
  const content = (
    <>
      <span className={classes.label}>{label}</span>
      <span className={classes.value}>{value}</span>
      {change != null && (
        <span className={`${classes.change} ${changeClass(change, lowerIsBetter)}`}>
          {formatChange(change)} <span className={classes.against}>vs previous</span>
        </span>
      )}
    </>
  );
  if (onSelect === undefined) return <div className={classes.tile}>{content}</div>;
  return (
    <button type="button" className={classes.tile} aria-pressed={selected} onClick={onSelect}>
      {content}
    </button>
  );
}

function changeClass(change: number, lowerIsBetter = false): string {
  if (Math.abs(change) < 0.0005) return 'dimmed';
  return change > 0 !== lowerIsBetter ? 'good' : 'bad';
}

/** Null without a previous value. */
export const relativeChange = (current: number | null, previous: number | null): number | null =>
  current === null || previous === null || previous === 0 ? null : (current - previous) / Math.abs(previous);
