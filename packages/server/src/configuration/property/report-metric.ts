import type { MetricComputation } from '@switchyard/core/api/metrics';
import { metricFormat } from '@switchyard/core/metrics/metric-format';
import { metricStepName } from '@switchyard/core/metrics/metric-step-name';
import type { ReportMetric } from '@switchyard/core/stats/report/report-input';
import type { Metric, PropertyConfiguration } from './property-configuration.ts';

/** How long a visitor is followed; null: until the end of the phase. */
export const daysWithin = (metric: MetricComputation): number | null =>
  metric.kind === 'retention' ? metric.toDay + 1 : metric.withinDays;

/** What statistics need to know about a metric. */
export function reportMetric(metric: Metric, { goals }: Pick<PropertyConfiguration, 'goals'>): ReportMetric {
  return {
    kind: metric.kind,
    ...('of' in metric && { of: metric.of }),
    ...(metric.kind === 'quantile' && { quantile: metric.quantile }),
    format: metric.format ?? metricFormat(metric),
    ...(metric.kind === 'funnel' && { steps: metric.steps.map((step) => metricStepName(step, goals)) }),
    withinDays: daysWithin(metric),
    ...(metric.kind === 'retention' && returnsOf(metric, goals)),
  };
}

function returnsOf(
  { fromDay, goalId }: Extract<MetricComputation, { kind: 'retention' }>,
  goals: PropertyConfiguration['goals'],
): Pick<ReportMetric, 'fromDay' | 'goalName'> {
  if (goalId === null) return { fromDay };
  return { fromDay, goalName: goals.find(({ id }) => id === goalId)?.name || goalId };
}
