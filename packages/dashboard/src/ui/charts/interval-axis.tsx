import classes from './interval-axis.module.css';
import type { IntervalScale } from './interval-axis-scale.ts';

interface IntervalAxisProps {
  scale: IntervalScale;
  format: (value: number) => string;
}

const CHARACTER_WIDTH = 6;
/** Of the axis, on a phone. */
const MIN_WIDTH = 220;

/** The labels of an axis that several `IntervalAxisBar`s share. */
export function IntervalAxis({ scale, format }: IntervalAxisProps) {
  return (
    <svg aria-hidden="true" className={classes.axis}>
      {labelledTicks(scale, format).map((tick) => {
        const position = scale.position(tick);
        const anchor = position < 8 ? 'start' : position > 92 ? 'end' : 'middle';
        return (
          <text key={tick} x={`${position}%`} y="12" textAnchor={anchor} className={classes.label}>
            {format(tick)}
          </text>
        );
      })}
    </svg>
  );
}

/** Zero, and as many others as there is room for. */
function labelledTicks({ ticks, position }: IntervalScale, format: IntervalAxisProps['format']): number[] {
  const longest = Math.max(...ticks.map((tick) => format(tick).length));
  // Labels at the ends are moved inwards by half their width.
  const needed = 1.5 * longest * CHARACTER_WIDTH;
  const distance = ((position(ticks[1] ?? 0) - position(ticks[0] ?? 0)) / 100) * MIN_WIDTH;
  const every = distance > 0 ? Math.ceil(needed / distance) : 1;
  const zero = ticks.indexOf(0);
  return ticks.filter((_, index) => (index - zero) % every === 0);
}
