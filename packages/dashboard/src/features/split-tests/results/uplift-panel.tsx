import { Text } from '@mantine/core';
import { TimeChart } from '../../../ui/charts/time-chart.tsx';
import { formatDay, formatTime } from '../../../ui/format.ts';
import { Loaded, Panel } from '../../../ui/panel.tsx';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { formatEffect, isRelative, levelOf } from './effect.ts';
import type { Results } from './results-types.ts';
import { upliftSeries } from './uplift-series.ts';
import { useComparedVariation } from './use-compared-variation.ts';
import { useResults } from './use-results.ts';
import { VariationSelect } from './variation-select.tsx';

/** How the uplift of the primary goal developed, and how its interval became narrower. */
export function UpliftPanel({ test }: { test: SplitTest }) {
  const query = useResults(test, { include: 'series' });
  const compared = useComparedVariation();
  const variation = query.data && compared(query.data);
  return (
    <Panel
      title="Uplift over time"
      hint={`All visitors until the end of each day (UTC), compared with the control.${
        query.data ? ` As of ${formatTime(query.data.asOf)}.` : ''
      }`}
      actions={<VariationSelect test={test} value={variation} />}
    >
      <Loaded query={query} what="the uplift over time" height={220}>
        {(results) => <UpliftChart results={results} variation={variation} />}
      </Loaded>
    </Panel>
  );
}

function UpliftChart({ results, variation }: { results: Results; variation: string | undefined }) {
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
