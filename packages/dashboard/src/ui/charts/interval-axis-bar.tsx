import classes from './interval-axis.module.css';
import type { ChartInterval, IntervalScale } from './interval-axis-scale.ts';

interface IntervalAxisBarProps {
  interval: ChartInterval;
  scale: IntervalScale;
  tone: 'good' | 'bad' | 'dimmed';
  /** The same in words. */
  label: string;
}

const MIDDLE = 11;
const [TOP, BOTTOM] = [5, 17];

/** An estimate with its interval, on an axis that it shares with others. An end without a limit has an arrow. */
export function IntervalAxisBar({ interval, scale, tone, label }: IntervalAxisBarProps) {
  const { estimate, low, high } = interval;
  const isKnown = low !== null || high !== null;
  const left = low === null ? 0 : scale.position(low);
  const right = high === null ? 100 : scale.position(high);
  const isOpen = { left: low === null || low < scale.min, right: high === null || high > scale.max };
  return (
    <svg role="img" aria-label={label} className={`${classes.bar} ${tone}`}>
      <title>{label}</title>
      {scale.ticks.map((tick) => (
        <line
          key={tick}
          className={tick === 0 ? classes.zero : classes.grid}
          {...vertical(scale.position(tick), 0, 22)}
        />
      ))}
      {isKnown && (
        <>
          <rect
            className={classes.interval}
            x={`${left}%`}
            y={TOP}
            width={`${Math.max(right - left, 0.5)}%`}
            height={BOTTOM - TOP}
          />
          {isOpen.left ? <Arrow at={left} to={1} /> : <line className={classes.end} {...vertical(left)} />}
          {isOpen.right ? (
            <Arrow at={right} to={-1} />
          ) : (
            <line className={classes.end} {...vertical(right)} />
          )}
        </>
      )}
      <circle className={classes.estimate} cx={`${scale.position(estimate)}%`} cy={MIDDLE} r="4.500" />
    </svg>
  );
}

const vertical = (percent: number, y1 = TOP, y2 = BOTTOM) => ({
  x1: `${percent}%`,
  x2: `${percent}%`,
  y1,
  y2,
});

/** @param to 1: the arrow comes from the right, so it points to the left */
function Arrow({ at, to }: { at: number; to: 1 | -1 }) {
  return (
    <svg x={`${at}%`} overflow="visible" aria-hidden="true">
      <path className={classes.open} d={`M${6 * to} ${TOP}L0 ${MIDDLE}L${6 * to} ${BOTTOM}`} />
    </svg>
  );
}
