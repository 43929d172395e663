import { compareToControl, type MethodSettings } from '../analysis.ts';
import type { MetricGoal } from '../report/report-input.ts';
import type { MetricResult } from '../report/report-metrics.ts';
import type { VariationMetricCounts } from './metric-counts.ts';
import { type Measure, measuresOf } from './metric-measures.ts';

/** All measures of a metric, or only the first one, which decides. */
export function metricResults(
  { definition }: MetricGoal,
  counts: readonly VariationMetricCounts[],
  method: MethodSettings,
  selection: 'all' | 'deciding',
): MetricResult[] {
  const measures = measuresOf(definition);
  return (selection === 'all' ? measures : measures.slice(0, 1)).map((measure, index) => ({
    metric: measure.name,
    ...(measure.step !== undefined && { step: measure.step }),
    format: measure.format,
    decides: index === 0,
    variations: resultsOf(measure, counts, method),
  }));
}

function resultsOf(
  { metric, nonNegative, armsOf }: Measure,
  counts: readonly VariationMetricCounts[],
  method: MethodSettings,
): MetricResult['variations'] {
  const arms = armsOf(counts);
  const control = arms[0]!;
  return arms.map((arm, index) => ({
    key: counts[index]!.key,
    n: arm.n,
    mean: arm.mean !== null && Number.isFinite(arm.mean) ? arm.mean : null,
    ...compareToControl(control, arm, { ...method, metric, nonNegative }),
  }));
}
