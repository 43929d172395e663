import { Button } from '@mantine/core';
import type { HoldoutReport } from '@switchyard/core/api/holdout';
import { useState } from 'react';
import { IntervalAxis } from '../../../ui/charts/interval-axis.tsx';
import { intervalScale } from '../../../ui/charts/interval-axis-scale.ts';
import { formatChange, formatCount } from '../../../ui/format/format.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { ComparisonRow } from '../results/goals/comparison-row.tsx';
import { effectOf, formatEffect, formatMean, isRelative, levelOf } from '../results/goals/effect.ts';
import classes from '../results/goals/goal-comparison.module.css';
import { StateTag, type Tone } from '../results/state-tag.tsx';

type HoldoutGoal = HoldoutReport['goals'][number];

/** A property can have a hundred goals. */
const FIRST = 8;

const STATES: Record<HoldoutGoal['finding'], { label: string; tone: Tone; bar: 'good' | 'bad' | 'dimmed' }> =
  {
    better: { label: 'Better', tone: 'good', bar: 'good' },
    worse: { label: 'Worse', tone: 'bad', bar: 'bad' },
    unclear: { label: 'Not clear', tone: 'dimmed', bar: 'dimmed' },
    collecting: { label: 'Too early', tone: 'dimmed', bar: 'dimmed' },
    unhealthy: { label: 'Not reliable', tone: 'warn', bar: 'dimmed' },
  };

/** A row per goal: both values, the difference, and its interval on an axis that all share. */
export function HoldoutGoals({ report }: { report: HoldoutReport }) {
  const [isAll, setAll] = useState(false);
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const goals = isAll ? report.goals : report.goals.slice(0, FIRST);
  const rows = goals.flatMap((goal) => rowOf(goal) ?? []);
  if (rows.length === 0) return null;
  // An absolute and a relative change have no common axis.
  const scaleOf = (relative: boolean) =>
    intervalScale(rows.map((row) => (row.isRelative === relative && !row.isEarly ? row.effect : null)));
  const scales = { relative: scaleOf(true), absolute: scaleOf(false) };
  const hasAxis = rows.some((row) => row.isRelative && row.effect && !row.isEarly);
  return (
    <>
      <div className={classes.goal}>
        <div className={classes.head} aria-hidden="true">
          <span className={classes.name}>Goal</span>
          <span className={classes.value}>Holdout → others</span>
          <span className={classes.effect}>Difference, {levelOf(report.method.alpha)} interval</span>
        </div>
        <ul aria-label="Goals compared with the holdout">
          {rows.map(({ goal, metric, values, effect, isEarly, isRelative: relative }) => (
            <ComparisonRow
              key={goal.goalId}
              name={goal.name}
              value={values.map((mean) => formatMean(metric, mean, currency)).join(' → ')}
              effect={effect}
              format={(change) => formatEffect(metric, change, currency)}
              scale={relative ? scales.relative : scales.absolute}
              tone={STATES[goal.finding].bar}
              isEarly={isEarly}
              state={<StateTag tone={STATES[goal.finding].tone}>{STATES[goal.finding].label}</StateTag>}
              {...(goal.lowerIsBetter && { detail: 'lower is better' })}
            />
          ))}
        </ul>
        {hasAxis && (
          <div className={classes.axis}>
            <span className={classes.bar}>
              <IntervalAxis scale={scales.relative} format={formatChange} />
            </span>
          </div>
        )}
      </div>
      {!isAll && report.goals.length > FIRST && (
        <Button mt="sm" size="xs" variant="default" onClick={() => setAll(true)}>
          Show all {formatCount(report.goals.length)} goals
        </Button>
      )}
    </>
  );
}

function rowOf(goal: HoldoutGoal) {
  const metric = goal.metrics.find(({ decides }) => decides);
  const [heldOut, others] = metric?.variations ?? [];
  if (metric === undefined || heldOut === undefined || others === undefined) return undefined;
  return {
    goal,
    metric,
    values: [heldOut.mean, others.mean],
    effect: effectOf(metric, others),
    isEarly: goal.finding === 'collecting',
    isRelative: isRelative(metric),
  };
}
