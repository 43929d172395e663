import { useContext } from 'react';
import { IntervalAxis } from '../../../../ui/charts/interval-axis.tsx';
import { intervalScale } from '../../../../ui/charts/interval-axis-scale.ts';
import { useProperty } from '../../../configuration/property-context.tsx';
import type { ComparedGoal, VariationResult } from '../results-types.ts';
import { RetiredVariations } from '../retired-variations.tsx';
import { StateTag, type Tone } from '../state-tag.tsx';
import { ComparisonRow } from './comparison-row.tsx';
import {
  type Direction,
  decidingMetric,
  directionOf,
  effectOf,
  formatEffect,
  formatMean,
  levelOf,
  metricName,
} from './effect.ts';
import classes from './goal-comparison.module.css';

export interface ComparisonState {
  label: string;
  /** For the row of a variation, which is narrow; default: the label. */
  short?: string;
  tone: Tone;
  /** There is too little data for a range. */
  isEarly?: boolean;
}

interface GoalComparisonProps {
  goal: ComparedGoal;
  alpha: number;
  /** What to say about a variation; default: better, worse or not clear. */
  stateOf?: (result: VariationResult) => ComparisonState;
}

const STATES: Record<Direction, ComparisonState> = {
  better: { label: 'Better', tone: 'good' },
  worse: { label: 'Worse', tone: 'bad' },
  unclear: { label: 'Not clear', tone: 'dimmed' },
};

/** The variations on one goal: value, uplift, and its interval on an axis that all share. */
export function GoalComparison({ goal, alpha, stateOf }: GoalComparisonProps) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const retired = useContext(RetiredVariations);
  const metric = decidingMetric(goal);
  const [control, ...others] = metric.variations;
  if (control === undefined) return null;
  const format = (change: number) => formatEffect(metric, change, currency);
  const state = stateOf ?? ((result) => STATES[directionOf(goal, result, alpha)]);
  const rowOf = (result: VariationResult) => ({
    result,
    effect: effectOf(metric, result),
    state: state(result),
    tone: barTone(state(result), directionOf(goal, result, alpha)),
  });
  const rows = others.map(rowOf);
  const scale = intervalScale(rows.map((row) => (row.state.isEarly ? null : row.effect)));
  const hasBars = rows.some((row) => row.effect && !row.state.isEarly);
  return (
    <div className={classes.goal}>
      <div className={classes.head} aria-hidden="true">
        <span className={classes.name}>Variation</span>
        <span className={classes.value}>{metricName(metric, goal)}</span>
        <span className={classes.effect}>Uplift, {levelOf(alpha)} interval</span>
      </div>
      <ul aria-label={`${goal.name}: ${metricName(metric, goal)}`}>
        <li className={classes.row}>
          <span className={classes.name}>{control.key}</span>
          <span className={classes.value}>{formatMean(metric, control.mean, currency)}</span>
          <span className={`${classes.effect} ${classes.baseline}`}>compared with this</span>
        </li>
        {rows.map(({ result, effect, state: own, tone }) => (
          <ComparisonRow
            key={result.key}
            name={result.key}
            {...(retired.has(result.key) && { detail: 'retired' })}
            value={formatMean(metric, result.mean, currency)}
            isEarly={own.isEarly}
            state={<StateTag tone={own.tone}>{own.short ?? own.label}</StateTag>}
            effect={effect}
            format={format}
            scale={scale}
            tone={tone}
          />
        ))}
      </ul>
      {hasBars && (
        <div className={classes.axis}>
          <span className={classes.bar}>
            <IntervalAxis scale={scale} format={format} />
          </span>
        </div>
      )}
    </div>
  );
}

const BAR_TONES = { better: 'good', worse: 'bad', unclear: 'dimmed' } as const;

/** Green and red only for a clear difference, and only while the figures can be judged. */
const barTone = ({ tone }: ComparisonState, direction: Direction) =>
  BAR_TONES[tone === 'dimmed' || tone === 'warn' ? 'unclear' : direction];
