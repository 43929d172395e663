import { IntervalAxis } from '../../../ui/charts/interval-axis.tsx';
import { IntervalAxisBar } from '../../../ui/charts/interval-axis-bar.tsx';
import { intervalScale } from '../../../ui/charts/interval-axis-scale.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import {
  type Direction,
  decidingMetric,
  describeRange,
  directionOf,
  effectOf,
  formatEffect,
  formatMean,
  levelOf,
  metricName,
} from './effect.ts';
import classes from './goal-comparison.module.css';
import type { ComparedGoal, VariationResult } from './results-types.ts';
import { StateTag, type Tone } from './state-tag.tsx';

export interface ComparisonState {
  label: string;
  tone: Tone;
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
  const metric = decidingMetric(goal);
  const [control, ...others] = metric.variations;
  if (control === undefined) return null;
  const scale = intervalScale(others.map((result) => effectOf(metric, result)));
  const format = (change: number) => formatEffect(metric, change, currency);
  const state = stateOf ?? ((result) => STATES[directionOf(goal, result, alpha)]);
  const rowOf = (result: VariationResult) => ({
    result,
    effect: effectOf(metric, result),
    state: state(result),
    tone: barTone(state(result), directionOf(goal, result, alpha)),
    mean: formatMean(metric, result.mean, currency),
  });
  return (
    <div className={classes.goal}>
      <div className={classes.head} aria-hidden="true">
        <span className={classes.name}>Variation</span>
        <span className={classes.value}>{metricName(metric)}</span>
        <span className={classes.effect}>Uplift, {levelOf(alpha)} interval</span>
      </div>
      <ul className={classes.rows} aria-label={`${goal.name}: ${metricName(metric)}`}>
        <li className={classes.row}>
          <span className={classes.name}>{control.key}</span>
          <span className={classes.value}>{formatMean(metric, control.mean, currency)}</span>
          <span className={`${classes.effect} ${classes.baseline}`}>compared with this</span>
        </li>
        {others.map(rowOf).map(({ result, effect, state: own, tone, mean }) => (
          <li key={result.key} className={classes.row}>
            <span className={classes.name}>{result.key}</span>
            <span className={classes.value}>{mean}</span>
            <span className={classes.effect}>
              {effect ? (
                <>
                  <strong>{format(effect.estimate)}</strong>
                  <span className={classes.range}>{describeRange(effect, format)}</span>
                </>
              ) : (
                <span className="dimmed">nothing to compare yet</span>
              )}
            </span>
            {effect && (
              <span className={classes.bar}>
                <IntervalAxisBar
                  interval={effect}
                  scale={scale}
                  tone={tone}
                  label={`${result.key}: ${format(effect.estimate)}, ${describeRange(effect, format)}`}
                />
              </span>
            )}
            <span className={classes.state}>
              <StateTag tone={own.tone}>{own.label}</StateTag>
            </span>
          </li>
        ))}
      </ul>
      <div className={classes.axis}>
        <span className={classes.bar}>
          <IntervalAxis scale={scale} format={format} />
        </span>
      </div>
    </div>
  );
}

const BAR_TONES = { better: 'good', worse: 'bad', unclear: 'dimmed' } as const;

/** Green and red only for a clear difference, and only while the figures can be judged. */
const barTone = ({ tone }: ComparisonState, direction: Direction) =>
  BAR_TONES[tone === 'dimmed' || tone === 'warn' ? 'unclear' : direction];
