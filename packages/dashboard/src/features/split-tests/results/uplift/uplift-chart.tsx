import { Text } from '@mantine/core';
import { TimeChart } from '../../../../ui/charts/time-chart.tsx';
import { formatDay } from '../../../../ui/format/format.ts';
import { useProperty } from '../../../configuration/property-context.tsx';
import { formatEffect, isRelative, levelOf } from '../goals/effect.ts';
import type { Results } from '../results-types.ts';
import { upliftSeries } from './uplift-series.ts';

/** The uplift of a variation on the primary goal, day by day, with its interval. */
export function UpliftChart({ results, variation }: { results: Results; variation: string | undefined }) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  if (results.verdict?.decision === 'collecting') {
    return (
      <Text c="dimmed">
        The chart begins with the first evaluation: there is too little data for a range.
      </Text>
    );
  }
  const series = variation === undefined ? undefined : upliftSeries(results, variation);
  if (variation === undefined || series === undefined) {
    return (
      <Text c="dimmed">
        The chart begins with the first visitor. It needs a primary goal and a second variation.
      </Text>
    );
  }
  const { goal, metric, at, values, lower, upper, isCut } = series;
  return (
    <>
      <TimeChart
        label={`${goal.name}: uplift of ${variation} by day`}
        at={at}
        series={[{ label: variation, kind: 'line', values, band: { lower, upper } }]}
        format={(value) => formatEffect(metric, value, currency)}
        formatAt={formatDay}
        reference={{ value: 0, label: 'No difference' }}
        height={220}
      />
      <Text c="dimmed" size="xs" mt={4}>
        {goal.name}, {isRelative(metric) ? 'relative to the control' : 'difference from the control'}, with
        its {levelOf(results.method.alpha)} interval.
        {isCut && ' The widest intervals of the first days are cut off.'}
      </Text>
    </>
  );
}
