import type { ReactNode } from 'react';
import { IntervalAxisBar } from '../../../../ui/charts/interval-axis-bar.tsx';
import type { IntervalScale } from '../../../../ui/charts/interval-axis-scale.ts';
import type { EffectInterval } from '../results-types.ts';
import { describeRange } from './effect.ts';
import classes from './goal-comparison.module.css';

interface ComparisonRowProps {
  /** What is compared: a variation or a segment. */
  name: string;
  /** Beside the name. */
  detail?: string;
  value: string;
  effect: EffectInterval | null;
  format: (change: number) => string;
  scale: IntervalScale;
  tone: 'good' | 'bad' | 'dimmed';
  /** There is too little data for a range. */
  isEarly?: boolean | undefined;
  /** At the end of the row. */
  state?: ReactNode;
}

/** A value, its change compared with the control, and the interval of the change as a bar. */
export function ComparisonRow(props: ComparisonRowProps) {
  const { name, detail, value, effect, format, scale, tone, isEarly = false, state } = props;
  const range = effect && (isEarly ? 'too early for a range' : describeRange(effect, format));
  return (
    <li className={classes.row}>
      <span className={classes.name}>
        {name} {detail && <span className={classes.range}>{detail}</span>}
      </span>
      <span className={classes.value}>{value}</span>
      <span className={classes.effect}>
        {effect ? (
          <>
            <strong>{format(effect.estimate)}</strong>
            <span className={classes.range}>{range}</span>
          </>
        ) : (
          <span className="dimmed">nothing to compare yet</span>
        )}
      </span>
      {effect && !isEarly && (
        <span className={classes.bar}>
          <IntervalAxisBar
            interval={effect}
            scale={scale}
            tone={tone}
            label={`${name}: ${format(effect.estimate)}, ${range}`}
          />
        </span>
      )}
      {state && <span className={classes.state}>{state}</span>}
    </li>
  );
}
