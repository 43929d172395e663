import { Text } from '@mantine/core';
import { IntervalAxis } from '../../../../ui/charts/interval-axis.tsx';
import { intervalScale } from '../../../../ui/charts/interval-axis-scale.ts';
import { plural } from '../../../../ui/format/format.ts';
import { useProperty } from '../../../configuration/property-context.tsx';
import { ComparisonRow } from '../goals/comparison-row.tsx';
import { decidingMetric, effectOf, formatEffect, formatMean, visitorsOf } from '../goals/effect.ts';
import classes from '../goals/goal-comparison.module.css';
import type { Results } from '../results-types.ts';
import { StateTag } from '../state-tag.tsx';

type Segment = NonNullable<Results['breakdown']>['segments'][number];

/** One variation compared with the control, in each segment; those that differ from the rest are marked. */
export function BreakdownRows({ results, variation }: { results: Results; variation: string | undefined }) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const segments = results.breakdown?.segments ?? [];
  const rows = segments.flatMap((segment) => rowOf(segment, variation) ?? []);
  if (segments.length === 0) return <Text c="dimmed">No visitors yet.</Text>;
  if (rows.length === 0) {
    return <Text c="dimmed">A breakdown needs a primary goal and a second variation.</Text>;
  }
  // An absolute and a relative change have no common axis.
  const scaleOf = (isRelative: boolean) =>
    intervalScale(rows.map((row) => (row.isRelative === isRelative ? row.effect : null)));
  const scales = { relative: scaleOf(true), absolute: scaleOf(false) };
  const first = rows[0]!;
  const differing = (results.breakdown?.differences ?? []).filter((it) => it.variation === variation);
  const differs = (name: string) => differing.some((it) => segmentName(it) === name);
  return (
    <div className={classes.segments}>
      <ul aria-label={`Uplift of ${variation} by ${results.breakdown?.by}`}>
        {rows.map(({ name, visitors, metric, control, result, effect, isRelative }) => (
          <ComparisonRow
            key={name}
            name={name}
            detail={plural(visitors, 'visitor')}
            value={[control, result].map(({ mean }) => formatMean(metric, mean, currency)).join(' → ')}
            effect={effect}
            format={(change) => formatEffect(metric, change, currency)}
            scale={isRelative ? scales.relative : scales.absolute}
            tone="dimmed"
            state={differs(name) && <StateTag tone="warn">Differs</StateTag>}
          />
        ))}
      </ul>
      <div className={classes.axis}>
        <span className={classes.bar}>
          <IntervalAxis
            scale={first.isRelative ? scales.relative : scales.absolute}
            format={(change) => formatEffect(first.metric, change, currency)}
          />
        </span>
      </div>
    </div>
  );
}

const segmentName = ({ value, other }: Pick<Segment, 'value' | 'other'>) =>
  value ?? (other ? 'All others' : 'Unknown');

function rowOf(segment: Segment, variation: string | undefined) {
  const goal = segment.goals.find(({ role }) => role === 'primary');
  if (goal === undefined) return undefined;
  const metric = decidingMetric(goal);
  const control = metric.variations[0];
  const result = metric.variations.find(({ key }) => key === variation);
  if (control === undefined || result === undefined) return undefined;
  const name = segmentName(segment);
  const isRelative = (control.mean ?? 0) > 0;
  const effect = effectOf(metric, result);
  return { name, visitors: visitorsOf(segment.variations), metric, control, result, effect, isRelative };
}
