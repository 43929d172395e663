import classes from './interval-axis.module.css';
import type { IntervalScale } from './interval-axis-scale.ts';

interface IntervalAxisProps {
  scale: IntervalScale;
  format: (value: number) => string;
}

/** The labels of an axis that several `IntervalAxisBar`s share. */
export function IntervalAxis({ scale, format }: IntervalAxisProps) {
  return (
    <svg aria-hidden="true" className={classes.axis}>
      {scale.ticks.map((tick) => {
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
